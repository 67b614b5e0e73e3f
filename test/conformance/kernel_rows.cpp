// SPDX-License-Identifier: MIT
// KE2 and KE3: softmax and layer norm, forward and backward, row by row.
#include "context.h"
#include "families.h"
#include "types.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

struct RowConfig {
  int block = 128;   // at least the columns
  Launch launch{};
};

template <class T> void softmax_rows(Ptr<const T> x, Ptr<T> z, Int rows, Int columns, const RowConfig &cfg) {
  const Int i = arange(0, cfg.block);
  const Bool mask = i < columns;
  for (auto row : range(program_id(0), rows, num_programs(0))) {
    const Ptr<const T> from = x + row * columns;
    const Tensor<f32> value = cast<f32>(load(from + i, mask, -std::numeric_limits<double>::infinity()));
    const Tensor<f32> e = exp(value - max(value, 0));
    store(z + (row * columns + i), cast<T>(e / sum(e, 0)), mask);
  }
}

std::vector<double> softmax_reference(const Array &x, std::size_t rows, std::size_t columns) {
  std::vector<double> result(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    double greatest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::size_t j = 0; j < columns; ++j)
      greatest = std::max(greatest, static_cast<double>(x.real(row * columns + j)));
    for (std::size_t j = 0; j < columns; ++j)
      total += result[row * columns + j] =
          std::exp(static_cast<double>(x.real(row * columns + j)) - greatest);
    for (std::size_t j = 0; j < columns; ++j)
      result[row * columns + j] /= total;
  }
  return result;
}

RowConfig covering(std::size_t columns) { return {.block = static_cast<int>(std::bit_ceil(columns))}; }

template <class T> void check_softmax(Context &t, std::size_t rows, std::size_t columns) {
  const double inf = std::numeric_limits<double>::infinity();
  for (int kind : {0, 1, 2}) {   // ordinary; huge; a row of -inf and single infinities
    t.section("kind " + std::to_string(kind));
    Array x = t.numbers<T>(rows * columns, Inputs::uniform);
    const double huge = std::is_same_v<T, f16> ? 60000 : 1e30;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (kind == 1)
        x.set_real(i, i % 3 ? huge : -huge);
      else if (kind == 2 && (i < columns || i % 5 == 0))
        x.set_real(i, -inf);
    }
    Memory &in = t.input(x), &out = t.output<T>(x.size());
    t.run<&softmax_rows<T>>(covering(columns), {std::min<std::int64_t>(static_cast<std::int64_t>(rows), 8)},
                            {in, out, static_cast<int>(rows), static_cast<int>(columns)});
    const double bound = sizeof(T) == 2 ? 1e-2 : 1e-5;
    t.close(out, softmax_reference(x, rows, columns), {bound, bound * 1e-2});
  }
}

// Also gives what the backward pass needs.
template <class T>
void layer_norm(Ptr<const T> x, Ptr<const T> weight, Ptr<const T> bias, Ptr<T> z, Ptr<f32> means,
                Ptr<f32> rstds, Int columns, Float epsilon, const RowConfig &cfg) {
  const Int i = arange(0, cfg.block), row = program_id(0);
  const Bool mask = i < columns;
  const Tensor<f32> value = cast<f32>(load(x + (row * columns + i), mask));
  const Tensor<f32> mean = sum(value, 0) / cast<f32>(columns);
  const Tensor<f32> centred = where(mask, value - mean, 0.0f);
  const Tensor<f32> rstd = rsqrt(sum(centred * centred, 0) / cast<f32>(columns) + epsilon);
  store(means + row, mean);
  store(rstds + row, rstd);
  const Tensor<f32> result =
      centred * rstd * cast<f32>(load(weight + i, mask)) + cast<f32>(load(bias + i, mask));
  store(z + (row * columns + i), cast<T>(result), mask);
}

// dx of one row; what it adds to the gradients of weight and bias goes to global sums.
template <class T>
void layer_norm_backward(Ptr<const T> dy, Ptr<const T> x, Ptr<const T> weight, Ptr<const f32> means,
                         Ptr<const f32> rstds, Ptr<T> dx, Ptr<f32> dweight, Ptr<f32> dbias, Int columns,
                         const RowConfig &cfg) {
  const Int i = arange(0, cfg.block), row = program_id(0);
  const Bool mask = i < columns;
  const Tensor<f32> g = cast<f32>(load(dy + (row * columns + i), mask)), rstd = load(rstds + row);
  const Tensor<f32> normal =
      where(mask, (cast<f32>(load(x + (row * columns + i), mask)) - load(means + row)) * rstd, 0.0f);
  const Tensor<f32> scaled = g * cast<f32>(load(weight + i, mask));
  const Tensor<f32> along = sum(normal * scaled, 0) / cast<f32>(columns),
                    level = sum(scaled, 0) / cast<f32>(columns);
  store(dx + (row * columns + i), cast<T>((scaled - (normal * along + level)) * rstd), mask);
  atomic_add(dweight + i, g * normal, mask);
  atomic_add(dbias + i, g, mask);
}

struct NormReference {
  std::vector<double> y, mean, rstd, dx, dweight, dbias;
};

NormReference norm_reference(const Array &x, const Array &weight, const Array &bias, const Array &dy,
                             std::size_t rows, std::size_t columns, double epsilon) {
  const std::size_t n = rows * columns;
  const auto count = static_cast<double>(columns);
  NormReference r{std::vector<double>(n), std::vector<double>(rows),    std::vector<double>(rows),
                  std::vector<double>(n), std::vector<double>(columns), std::vector<double>(columns)};
  for (std::size_t row = 0; row < rows; ++row) {
    auto at = [&](const Array &a, std::size_t j) { return static_cast<double>(a.real(row * columns + j)); };
    double mean = 0, variance = 0, along = 0, level = 0;
    for (std::size_t j = 0; j < columns; ++j)
      mean += at(x, j) / count;
    for (std::size_t j = 0; j < columns; ++j)
      variance += std::pow(at(x, j) - mean, 2) / count;
    const double rstd = 1 / std::sqrt(variance + epsilon);
    r.mean[row] = mean, r.rstd[row] = rstd;
    for (std::size_t j = 0; j < columns; ++j) {
      const double normal = (at(x, j) - mean) * rstd, w = static_cast<double>(weight.real(j));
      r.y[row * columns + j] = normal * w + static_cast<double>(bias.real(j));
      along += normal * at(dy, j) * w / count;
      level += at(dy, j) * w / count;
      r.dweight[j] += at(dy, j) * normal;
      r.dbias[j] += at(dy, j);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const double normal = (at(x, j) - mean) * rstd;
      r.dx[row * columns + j] =
          (at(dy, j) * static_cast<double>(weight.real(j)) - (normal * along + level)) * rstd;
    }
  }
  return r;
}

template <class T> void check_layer_norm(Context &t, std::size_t rows, std::size_t columns) {
  const double epsilon = 1e-5f;
  Array x(element_type<T>, rows * columns), weight(element_type<T>, columns), bias = weight, dy = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.set_real(i, t.uniform(-2, 4));
    dy.set_real(i, t.uniform(-1, 1));
  }
  for (std::size_t j = 0; j < columns; ++j) {
    weight.set_real(j, t.uniform(0.5, 1.5));
    bias.set_real(j, t.uniform(-1, 1));
  }
  const NormReference expected = norm_reference(x, weight, bias, dy, rows, columns, epsilon);
  const double bound = sizeof(T) == 2 ? 1e-2 : 1e-5;
  // A row of one column has no spread: rstd is 1 / sqrt(epsilon) and magnifies f32's rounding.
  const double growth = columns < 4 ? 300 : 1;
  Memory &in_x = t.input(x), &in_weight = t.input(weight), &in_bias = t.input(bias), &in_dy = t.input(dy);
  Memory &out = t.output<T>(x.size()), &means = t.output<f32>(rows), &rstds = t.output<f32>(rows);
  const auto grid = static_cast<std::int64_t>(rows);
  const int width = static_cast<int>(columns);
  t.run<&layer_norm<T>>(covering(columns), {grid},
                        {in_x, in_weight, in_bias, out, means, rstds, width, epsilon});
  t.close(means, expected.mean, {1e-5, 1e-5});
  t.close(rstds, expected.rstd, {1e-4 * growth, 1e-5});
  t.close(out, expected.y, {bound * growth, bound * growth});
  Memory &dx = t.output<T>(x.size());
  Memory &dweight = t.in_out(Array(element_type<f32>, columns)),
         &dbias = t.in_out(Array(element_type<f32>, columns));
  t.run<&layer_norm_backward<T>>(covering(columns), {grid},
                                 {in_dy, in_x, in_weight, means, rstds, dx, dweight, dbias, width});
  t.close(dx, expected.dx, {bound * growth, bound * growth});
  t.close(dweight, expected.dweight, {1e-4 * growth, 1e-3 * growth});
  t.close(dbias, expected.dbias, {1e-4, 1e-3});
}

}   // namespace

void add_row_kernel_cases(Suite &suite) {
  each(Types<f16, bf16, f32>{}, [&]<class T>() {
    for (std::size_t rows : {1, 2, 17, 1823})
      for (std::size_t columns : {1, 2, 31, 128, 781, 1024, 8192}) {
        const bool large = rows * columns > 20000;
        const std::string shape = type_name<T>() + "/" + std::to_string(rows) + "x" + std::to_string(columns);
        const Tier tier =
            large && !(rows == 1823 && columns == 31 && std::is_same_v<T, f32>) ? Tier::nightly : Tier::fast;
        suite.add("KE2/softmax/" + shape, tier, [=](Context &t) { check_softmax<T>(t, rows, columns); });
        suite.add("KE3/layer_norm/" + shape, tier,
                  [=](Context &t) { check_layer_norm<T>(t, rows, columns); });
      }
  });
}

}   // namespace tile::conformance
