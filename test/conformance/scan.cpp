// SPDX-License-Identifier: MIT
// SC1: running sums, products, maxima, and scans whose combine function does not commute.
#include "context.h"
#include "families.h"
#include "types.h"

#include <algorithm>

namespace tile::conformance {

namespace {

enum class Scan { sum, product, max, recurrence, first, roll };
constexpr Scan scans[] = {Scan::sum, Scan::product, Scan::max, Scan::recurrence, Scan::first, Scan::roll};
const char *name_of(Scan scan) {
  static const char *const names[] = {"cumsum", "cumprod", "cummax", "recurrence", "first", "roll"};
  return names[static_cast<int>(scan)];
}

struct ScanConfig {
  Scan scan = Scan::sum;
  int rows = 8, columns = 32, axis = 0;
  bool reverse = false;
  Launch launch{};
};

template <class T> void scan_tile(Ptr<const T> x, Ptr<const T> y, Ptr<T> z, const ScanConfig &cfg) {
  const Int i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  const Tensor<T> value = load(x + i);
  const Reverse reverse = cfg.reverse ? Reverse::yes : Reverse::no;
  switch (cfg.scan) {
  case Scan::sum:
    return store(z + i, cumsum(value, cfg.axis, reverse));
  case Scan::product:
    return store(z + i, cumprod(value, cfg.axis, reverse));
  case Scan::max:
    return store(z + i, cummax(value, cfg.axis, reverse));
  case Scan::first:
    return store(z + i, associative_scan(value, cfg.axis, [](auto a, auto) { return a; }, reverse));
  case Scan::recurrence: {   // s = s * a + b along the axis
    auto [scale, shift] = associative_scan(
        std::tuple{value, load(y + i)}, cfg.axis,
        [](auto p, auto q) {
          auto [pa, pb] = p;
          auto [qa, qb] = q;
          return std::tuple{pa * qa, pb * qa + qb};
        },
        reverse);
    return store(z + i, shift);
  }
  case Scan::roll: {   // each element gets its predecessor: three values, only the order carries it
    auto [count, previous, current] = associative_scan(
        std::tuple{full_like(value, 1), zeros_like(value), value}, cfg.axis,
        [](auto p, auto q) {
          auto [p_count, p_previous, p_current] = p;
          auto [q_count, q_previous, q_current] = q;
          return std::tuple{p_count + q_count, where(q_count == 1, p_current, q_previous), q_current};
        },
        reverse);
    return store(z + i, previous);
  }
  }
}

// Products stay representable: mostly ones, some twos and halves.
Array scan_inputs(Context &t, ElementType type, Scan scan, std::size_t n) {
  Array x = t.numbers(type, n, Inputs::integers);
  if (scan == Scan::product || scan == Scan::recurrence)
    for (std::size_t i = 0; i < n; ++i) {
      const double choices[] = {1, -1, 2, 0.5, 1, -1, 1, -1};
      const double choice = choices[t.between(0, 7)];
      if (type.is_float())
        x.set_real(i, scan == Scan::recurrence && choice == 2 ? 1 : choice);
      else
        x.set_integer(i, t.between(-3, 3));
    }
  return x;
}

template <class T> void check_scan(Context &t, const ScanConfig &cfg) {
  const auto rows = static_cast<std::size_t>(cfg.rows), columns = static_cast<std::size_t>(cfg.columns);
  const std::size_t n = rows * columns;
  constexpr ElementType type = element_type<T>;
  const Array x = scan_inputs(t, type, cfg.scan, n), y = t.numbers(type, n, Inputs::integers);
  const bool along_rows = cfg.axis == 0 || cfg.axis == -2;
  const std::size_t length = along_rows ? rows : columns, lines = n / length;
  std::vector<double> expected(n);
  Array exact(type, n);
  for (std::size_t line = 0; line < lines; ++line) {
    long double state = 0;
    Wide whole = 0;
    for (std::size_t step = 0; step < length; ++step) {
      auto place = [&](std::size_t s) {
        const std::size_t k = cfg.reverse ? length - 1 - s : s;
        return along_rows ? k * columns + line : line * columns + k;
      };
      const std::size_t at = place(step);
      const long double value = x.real(at);
      switch (cfg.scan) {
      case Scan::sum:
        state += value;
        break;
      case Scan::product:
        state = step ? state * value : value;
        break;
      case Scan::max:
        state = step ? std::max(state, value) : value;
        break;
      case Scan::recurrence:
        state = state * value + y.real(at);
        break;
      case Scan::first:
        state = step ? state : value;
        break;
      case Scan::roll:
        state = step ? x.real(place(step - 1)) : 0;
        break;
      }
      if constexpr (!is_float<T>) {   // integers wrap on the way
        const Wide v = x.integer(at);
        whole = cfg.scan == Scan::sum          ? whole + v
                : cfg.scan == Scan::product    ? (step ? whole * v : v)
                : cfg.scan == Scan::recurrence ? whole * v + y.integer(at)
                                               : static_cast<Wide>(state);
        whole = wrap(type, whole);
        exact.set_integer(at, whole);
      }
      expected[at] = static_cast<double>(state);
    }
  }
  Memory &in_x = t.input(x), &in_y = t.input(y), &out = t.output(type, n);
  t.run<&scan_tile<T>>(cfg, {1}, {in_x, in_y, out});
  if constexpr (is_float<T>)
    t.close(out, expected, {.relative = 0.01, .absolute = std::is_same_v<T, bf16> ? 0.25 : 1e-3});
  else
    t.exact(out, exact);
}

}   // namespace

void add_scan_cases(Suite &suite) {
  const std::pair<int, int> shapes[] = {{8, 32},   {16, 32}, {32, 16}, {2, 1024},
                                        {1024, 2}, {32, 32}, {1, 1024}};
  each(Types<i32, f32, bf16>{}, [&]<class T>() {
    for (Scan scan : scans)
      for (auto [rows, columns] : shapes)
        for (bool reverse : {false, true})
          suite.add("SC1/" + std::string(name_of(scan)) + "/" + type_name<T>() + "/" + std::to_string(rows) +
                        "x" + std::to_string(columns) + (reverse ? "/reverse" : "/forward"),
                    [=, rows = rows, columns = columns](Context &t) {
                      for (int axis : {0, 1, -1})
                        for (int warps : {4, 16}) {
                          t.section("axis=" + std::to_string(axis) + " warps=" + std::to_string(warps));
                          check_scan<T>(t, {scan, rows, columns, axis, reverse, {.num_warps = warps}});
                        }
                    });
  });
}

}   // namespace tile::conformance
