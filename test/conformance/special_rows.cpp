// SPDX-License-Identifier: MIT
// RE7: rows with infinities and NaNs of both signs. Several threads hold a result, and each combines the NaNs
// in an order of its own: the machine's arithmetic gives one NaN for all of them, or what they store would
// differ.
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

struct RowsConfig {
  int rows = 1, columns = 32;
  Launch launch{};
};

// A result of each row after the other, then two tiles.
template <class T> void special_rows(Ptr<const T> x, Ptr<T> z, const RowsConfig &cfg) {
  const Int i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  const Int row = reshape(arange(0, cfg.rows), {cfg.rows, 1});
  const Tensor<T> value = load(x + i);
  const Tensor<T> total = sum(value, 1, KeepDims::yes);
  const Tensor<T> largest = max(value, 1, Nan::propagate, KeepDims::yes);
  int place = 0;
  for (const Tensor<T> &result : {total, max(value, 1, KeepDims::yes), min(value, 1, KeepDims::yes), largest,
                                  min(value, 1, Nan::propagate, KeepDims::yes),
                                  sum(value - largest, 1, KeepDims::yes), -total, total * total})
    store(z + (row + cfg.rows * place++), result);
  store(z + (i + cfg.rows * place), softmax(value, 1));
  store(z + (i + cfg.rows * (place + cfg.columns)),
        broadcast_to(sum(value - total, 0, KeepDims::yes), {cfg.rows, cfg.columns}));
}

// Rows 0, 1, ... have a NaN, an infinity, a negative NaN, a negative infinity by the bits of their numbers.
Array special_values(Context &t, ElementType type, const RowsConfig &cfg) {
  const auto rows = static_cast<std::size_t>(cfg.rows), columns = static_cast<std::size_t>(cfg.columns);
  Array x(type, rows * columns);
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i)
      x.set_integer(row * columns + i, t.between(-1, 1));
    const auto put = [&](unsigned bit, long double special, bool flips) {
      if (!((row + 15) >> bit & 1))
        return;
      const auto at = row * columns + static_cast<std::size_t>(t.between(0, cfg.columns - 1));
      x.set_real(at, special);
      if (flips)
        x.set_bits(at, x.bits(at) ^ std::uint64_t{1} << (8 * type.bytes() - 1));
    };
    put(0, std::numeric_limits<long double>::quiet_NaN(), false);
    put(1, infinity, false);
    put(2, std::numeric_limits<long double>::quiet_NaN(), true);
    put(3, -infinity, false);
  }
  return x;
}

template <class T> Array expected_of(const Array &x, const RowsConfig &cfg) {
  const auto rows = static_cast<std::size_t>(cfg.rows), columns = static_cast<std::size_t>(cfg.columns);
  Array z(x.type(), 8 * rows + 2 * rows * columns);
  const auto at = [&](std::size_t row, std::size_t i) {
    return static_cast<double>(x.real(row * columns + i));
  };
  std::vector<double> totals(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    double total = 0, largest = at(row, 0), least = largest, after = 0, weights = 0;
    bool has_nan = false;
    for (std::size_t i = 0; i < columns; ++i) {
      total += at(row, i);
      largest = std::fmax(largest, at(row, i));
      least = std::fmin(least, at(row, i));
      has_nan |= std::isnan(at(row, i));
    }
    const double nan = std::numeric_limits<double>::quiet_NaN(), top = has_nan ? nan : largest;
    for (std::size_t i = 0; i < columns; ++i) {
      after += at(row, i) - top;
      weights += std::exp(at(row, i) - largest);
    }
    const double results[] = {total, largest, least,        top, has_nan ? nan : least,
                              after, -total,  total * total};
    for (std::size_t place = 0; place < std::size(results); ++place)
      z.set_real(place * rows + row, results[place]);
    for (std::size_t i = 0; i < columns; ++i)
      z.set_real(8 * rows + row * columns + i, std::exp(at(row, i) - largest) / weights);
    totals[row] = total;
  }
  for (std::size_t i = 0; i < columns; ++i) {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row)
      sum += at(row, i) - totals[row];
    for (std::size_t row = 0; row < rows; ++row)
      z.set_real(8 * rows + (rows + row) * columns + i, sum);
  }
  return z;
}

template <class T> void check_special_rows(Context &t) {
  for (auto [rows, columns] : {std::pair{1, 32}, {4, 64}, {16, 16}, {1, 4}, {3, 128}})
    for (int warps : {1, 4}) {
      t.section(std::to_string(rows) + "x" + std::to_string(columns) + " warps=" + std::to_string(warps));
      const RowsConfig cfg{rows, columns, {.num_warps = warps}};
      const Array x = special_values(t, element_type<T>, cfg), expected = expected_of<T>(x, cfg);
      Memory &in = t.input(x), &out = t.output<T>(expected.size());
      t.run<&special_rows<T>>(cfg, {1}, {in, out});
      std::vector<double> numbers(expected.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<double>(expected.real(i));
      t.close(out, numbers, {.relative = sizeof(T) == 2 ? 0x1p-7 : 1e-5, .absolute = 1e-6});
    }
}

}   // namespace

void add_special_row_cases(Suite &suite) {
  each(Types<f16, bf16, f32, f64>{},
       [&]<class T>() { suite.add("RE7/" + type_name<T>(), check_special_rows<T>); });
}

}   // namespace tile::conformance
