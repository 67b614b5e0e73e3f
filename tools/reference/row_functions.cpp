// SPDX-License-Identifier: MIT
// The row functions.
#include "tools/reference/row_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

CrossEntropy cross_entropy(const Matrix &logits, const CrossEntropyShape &shape) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CrossEntropy result{{}, {}, Matrix(logits.rows, logits.cols)};
  count_work(6 * static_cast<double>(logits.values.size()));
  const auto cols = static_cast<double>(logits.cols);
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    const double *row = logits.values.data() + i * logits.cols;
    double largest = -std::numeric_limits<double>::infinity(), total = 0, sum = 0;
    for (std::int64_t j = 0; j < logits.cols; ++j)
      largest = std::max(largest, row[j]);
    for (std::int64_t j = 0; j < logits.cols; ++j) {
      total += std::isinf(largest) ? 0 : std::exp(row[j] - largest);
      sum += row[j];
    }
    const double log_sum = largest + std::log(total);
    result.log_sum_exp.push_back(log_sum);
    const std::int64_t target = shape.targets[static_cast<std::size_t>(i)];
    if (target == shape.ignored) {
      result.loss.push_back(0);
      continue;
    }
    const bool is_column = target >= 0 && target < logits.cols;
    const double smoothing = shape.smoothing;
    double loss = log_sum - (is_column ? row[target] : nan);
    if (smoothing > 0)
      loss = (1 - smoothing) * loss + smoothing * (log_sum - sum / cols);
    result.loss.push_back(loss);
    const double factor = shape.factors.empty() ? 1 : shape.factors[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < logits.cols; ++j)
      result.grad.at(i, j) =
          (is_column ? factor : nan) *
          (std::exp(row[j] - largest) / total - smoothing / cols - (j == target ? 1 - smoothing : 0));
  }
  return result;
}

Matrix log_softmax(const Matrix &x) {
  Matrix y(x.rows, x.cols);
  count_work(4 * static_cast<double>(x.values.size()));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t j = 0; j < x.cols; ++j)
      largest = std::max(largest, x.at(i, j));
    for (std::int64_t j = 0; j < x.cols; ++j)
      total += std::exp(x.at(i, j) - largest);
    for (std::int64_t j = 0; j < x.cols; ++j)
      y.at(i, j) = x.at(i, j) - largest - std::log(total);
  }
  return y;
}

Matrix softmax_gradient(const Matrix &y, const Matrix &grad_y) {
  Matrix grad_x(y.rows, y.cols);
  count_work(3 * static_cast<double>(y.values.size()));
  for (std::int64_t i = 0; i < y.rows; ++i) {
    double products = 0;
    for (std::int64_t j = 0; j < y.cols; ++j)
      products += y.at(i, j) * grad_y.at(i, j);
    for (std::int64_t j = 0; j < y.cols; ++j)
      grad_x.at(i, j) = y.at(i, j) * (grad_y.at(i, j) - products);
  }
  return grad_x;
}

Matrix log_softmax_gradient(const Matrix &y, const Matrix &grad_y) {
  Matrix grad_x(y.rows, y.cols);
  count_work(4 * static_cast<double>(y.values.size()));
  for (std::int64_t i = 0; i < y.rows; ++i) {
    double total = 0;
    for (std::int64_t j = 0; j < y.cols; ++j)
      total += grad_y.at(i, j);
    for (std::int64_t j = 0; j < y.cols; ++j)
      grad_x.at(i, j) = grad_y.at(i, j) - std::exp(y.at(i, j)) * total;
  }
  return grad_x;
}

TopK top_k(const Matrix &x, std::int64_t k, Share share) {
  TopK result{Matrix(x.rows, k), Matrix(x.rows, k)};
  count_work(8 * static_cast<double>(x.values.size()) + static_cast<double>(result.values.values.size()));
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.cols));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const double *row = x.values.data() + i * x.cols;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      return std::isnan(row[a]) ? !std::isnan(row[b]) : row[a] > row[b];
    });
    const std::int64_t members = share == Share::of_chosen ? k : share == Share::of_row ? x.cols : 0;
    double total = 0;
    for (std::int64_t j = 0; j < members; ++j)
      total += std::exp(row[order[static_cast<std::size_t>(j)]] - row[order[0]]);
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t col = order[static_cast<std::size_t>(j)];
      result.indices.at(i, j) = static_cast<double>(col);
      result.values.at(i, j) = share == Share::none ? row[col] : std::exp(row[col] - row[order[0]]) / total;
    }
  }
  return result;
}

Tolerance row_gradient_tolerance(ElementType out) {
  return {elementwise_tolerance(out).relative, out.kind == Kind::F32 ? 2e-5 : 2e-3};
}

}   // namespace tile::reference
