// SPDX-License-Identifier: MIT
// rms_norm_backward and layer_norm_backward by name. The forward pass gives them means and scales.
#include "kernels/norm_gradients.h"

#include "kernels/layer_norm.h"
#include "kernels/rms_norm.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {
namespace {

using reference::Matrix;

// What a forward pass leaves for the backward pass.
struct Moments {
  Buffer<f32> mean, scale;
  Moments(Device &device, std::int64_t rows)
      : mean(device, static_cast<std::size_t>(rows), "mean"),
        scale(device, static_cast<std::size_t>(rows), "scale") {}
};

template <class T, bool Centred>
std::shared_ptr<Moments> forward(Device &device, const MatrixView<const T> &x,
                                 const VectorView<const T> &weight) {
  const auto moments = std::make_shared<Moments>(device, x.rows);
  const Buffer<T> memory(device, static_cast<std::size_t>(x.rows * x.cols), "y");
  const MatrixView<T> y(memory, x.rows, x.cols);
  if constexpr (Centred)
    kernels::layer_norm(device, x, weight, weight, y, {}, {{moments->mean, moments->scale}});
  else
    kernels::rms_norm(device, x, weight, y, {}, {.scale = moments->scale});
  device.synchronize();
  return moments;
}

// What the forward pass subtracts from each row, nothing if not Centred, and multiplies it by.
template <bool Centred>
std::pair<std::vector<double>, std::vector<double>> moments_of(const Matrix &x,
                                                               const std::vector<double> &weight) {
  if (!Centred)
    return {{}, reference::rms_norm(x, weight, kernels::RmsNormOptions().epsilon).scale};
  auto norm = reference::layer_norm(x, weight, weight, kernels::LayerNormOptions().epsilon);
  return {std::move(norm.mean), std::move(norm.scale)};
}

// The gradients by weight (result 1) and bias (result 2): sums over all rows, of which some at a time are in
// memory.
template <bool Centred>
std::vector<double> sums_over_rows(std::int64_t m, std::int64_t n, std::size_t result,
                                   const Problem::Read &read, const std::vector<double> &weight) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  const std::vector<std::int64_t> all = all_rows(m);
  constexpr std::size_t together = 64;
  for (std::size_t first = 0; first < all.size(); first += together) {
    const auto some = std::span(all).subspan(first, std::min(together, all.size() - first));
    const Matrix grad = rows_of_operand(read, 2, n, some);
    Matrix factor(grad.rows, grad.cols);
    std::ranges::fill(factor.values, 1.0);
    if (result == 1) {
      factor = rows_of_operand(read, 0, n, some);
      const auto [mean, scale] = moments_of<Centred>(factor, weight);
      for (std::int64_t i = 0; i < grad.rows; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const auto row = static_cast<std::size_t>(i);
          factor.at(i, j) = (factor.at(i, j) - (Centred ? mean[row] : 0)) * scale[row];
        }
    }
    reference::count_work(static_cast<double>(grad.values.size()));
    for (std::int64_t i = 0; i < grad.rows; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        sums[static_cast<std::size_t>(j)] += grad.at(i, j) * factor.at(i, j);
  }
  return sums;
}

// Some rows of the gradient by x, or some elements of those by weight and bias.
template <bool Centred>
Matrix expected_rows(std::int64_t m, std::int64_t n, std::size_t result, const Problem::Read &read,
                     std::span<const std::int64_t> rows) {
  const std::vector<double> weight = column_of(read, 1, n);
  if (result > 0)
    return elements_of(sums_over_rows<Centred>(m, n, result, read, weight), rows);
  const Matrix x = rows_of_operand(read, 0, n, rows);
  const auto [mean, scale] = moments_of<Centred>(x, weight);
  return reference::norm_gradients(x, weight, rows_of_operand(read, 2, n, rows), mean, scale).x;
}

template <class T, bool Centred> struct NormBackward {
  using Config = kernels::NormGradientConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const kernels::NormGradientOptions options{.config = config_of<Config>(settings)};
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"x", type, m, n},
                                 {"weight", type, n, 1},
                                 {"grad_y", type, m, n},
                                 {"grad_x", type, m, n, false, true},
                                 {"grad_weight", type, n, 1, false, true}},
                    .work = work_of_matrices(settings, 3, type),
                    .work_of_row = 80.0 * static_cast<double>(n),
                    .tolerance = reference::row_gradient_tolerance(type)};
    if (Centred)
      problem.operands.push_back({"grad_bias", type, n, 1, false, true});
    problem.bind = [=](Device &device, auto at) {
      auto input = [&](std::size_t operand) {
        return MatrixView<const T>(static_cast<const T *>(at[operand]), m, n);
      };
      auto sums = [&](std::size_t operand) { return VectorView<T>(static_cast<T *>(at[operand]), n); };
      const MatrixView<const T> x = input(0), grad_y = input(2);
      const VectorView<const T> weight(static_cast<const T *>(at[1]), n);
      const MatrixView<T> grad_x(static_cast<T *>(at[3]), m, n);
      const VectorView<T> grad_weight = sums(4);
      const auto moments = forward<T, Centred>(device, x, weight);
      if constexpr (Centred) {
        const VectorView<T> grad_bias = sums(5);
        return Problem::Launch([=, &device] {
          kernels::layer_norm_backward(device, x, weight, grad_y, {moments->mean, moments->scale},
                                       {grad_x, grad_weight, grad_bias}, options);
        });
      } else {
        return Problem::Launch([=, &device] {
          kernels::rms_norm_backward(device, x, weight, grad_y, VectorView<const f32>(moments->scale),
                                     {grad_x, grad_weight}, options);
        });
      }
    };
    problem.expected = [m, n](std::size_t operand, const Problem::Read &read,
                              std::span<const std::int64_t> rows) {
      return expected_rows<Centred>(m, n, operand - 3, read, rows);
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    std::vector<ArgClass> classes(18, c.by16);
    classes[0] = classes[11] = c.any;                  // rows and programs
    classes[13] = classes[15] = classes[17] = c.one;   // from column to column
    return kernels::norm_gradient_kernel<T, Centred>.trace(config_from<Config>(settings.config), classes);
  }
  static auto configs(const Settings &) { return kernels::norm_gradient_kernel<T, Centred>.configs; }
};

template <class T> using RmsNormBackward = NormBackward<T, false>;
template <class T> using LayerNormBackward = NormBackward<T, true>;

}   // namespace

Entry rms_norm_backward_entry() {
  return row_entry<RmsNormBackward>("rms_norm_backward", "the gradients of rms_norm by x and weight");
}
Entry layer_norm_backward_entry() {
  return row_entry<LayerNormBackward>("layer_norm_backward",
                                      "the gradients of layer_norm by x, weight and bias");
}

}   // namespace tile::registry
