// SPDX-License-Identifier: MIT
// The row functions.
#include "tools/reference/row_functions.h"

#include <cmath>

namespace tile::reference {

RmsNorm rms_norm(const Matrix &x, std::span<const double> weight, double epsilon) {
  RmsNorm result{Matrix(x.rows, x.cols), {}};
  count_work(2 * static_cast<double>(x.values.size()));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double squares = 0;
    for (std::int64_t j = 0; j < x.cols; ++j)
      squares += x.at(i, j) * x.at(i, j);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.cols) + epsilon);
    for (std::int64_t j = 0; j < x.cols; ++j)
      result.y.at(i, j) = x.at(i, j) * scale * weight[static_cast<std::size_t>(j)];
    result.scale.push_back(scale);
  }
  return result;
}

// With n = (x - mean) scale and g = grad_y weight: grad_x = scale (g - mean(g) - n mean(g n)). The mean of g
// is there only if the norm subtracts a mean.
NormGradients norm_gradients(const Matrix &x, std::span<const double> weight, const Matrix &grad_y,
                             std::span<const double> mean, std::span<const double> scale) {
  const auto cols = static_cast<std::size_t>(x.cols);
  NormGradients result{Matrix(x.rows, x.cols), std::vector<double>(cols), std::vector<double>(cols)};
  count_work(6 * static_cast<double>(x.values.size()));
  std::vector<double> normal(cols), gradient(cols);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = 0, products = 0;
    for (std::size_t j = 0; j < cols; ++j) {
      const auto col = static_cast<std::int64_t>(j);
      normal[j] = (x.at(i, col) - (mean.empty() ? 0 : mean[row])) * scale[row];
      gradient[j] = grad_y.at(i, col) * weight[j];
      sum += gradient[j];
      products += gradient[j] * normal[j];
      result.weight[j] += grad_y.at(i, col) * normal[j];
      result.bias[j] += grad_y.at(i, col);
    }
    const auto count = static_cast<double>(cols);
    for (std::size_t j = 0; j < cols; ++j)
      result.x.at(i, static_cast<std::int64_t>(j)) =
          scale[row] * (gradient[j] - (mean.empty() ? 0 : sum / count) - normal[j] * products / count);
  }
  return result;
}

Tolerance row_gradient_tolerance(ElementType out) {
  return {elementwise_tolerance(out).relative, out.kind == Kind::F32 ? 2e-5 : 2e-3};
}

}   // namespace tile::reference
