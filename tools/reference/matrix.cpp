// SPDX-License-Identifier: MIT
// The float64 functions.
#include "tools/reference/matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tile::reference {

double as_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(bits & ~std::uint32_t{0x1fff}));
}

double leaky_relu(double x) { return x >= 0 ? x : 0.01 * x; }
double leaky_relu_of_integer(double x) { return x >= 0 ? x : std::trunc(x / 100); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

// Integers stay exact: products of 8-bit integers sum to less than 2^53 for any K that fits memory.
Matrix matmul(const Matrix &a, const Matrix &b, Function activation) {
  Matrix c(a.rows, b.cols);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double *row = c.values.data() + i * c.cols;
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const double left = a.at(i, k), *right = b.values.data() + k * b.cols;
      for (std::int64_t j = 0; j < b.cols; ++j)
        row[j] += left * right[j];
    }
  }
  if (activation)
    std::transform(c.values.begin(), c.values.end(), c.values.begin(), activation);
  return c;
}

Matrix softmax(const Matrix &x) {
  Matrix y(x.rows, x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto *from = x.values.data() + i * x.cols;
    const double largest = x.cols ? *std::max_element(from, from + x.cols) : 0;
    double total = 0;
    for (std::int64_t j = 0; j < x.cols; ++j)
      total += std::exp(from[j] - largest);
    for (std::int64_t j = 0; j < x.cols; ++j)
      y.at(i, j) = std::exp(from[j] - largest) / total;
  }
  return y;
}

LayerNorm layer_norm(const Matrix &x, std::span<const double> weight, std::span<const double> bias,
                     double epsilon) {
  LayerNorm result{Matrix(x.rows, x.cols), {}, {}};
  const auto count = static_cast<double>(x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double sum = 0, squares = 0;
    for (std::int64_t j = 0; j < x.cols; ++j)
      sum += x.at(i, j);
    const double mean = sum / count;
    for (std::int64_t j = 0; j < x.cols; ++j)
      squares += (x.at(i, j) - mean) * (x.at(i, j) - mean);
    const double scale = 1 / std::sqrt(squares / count + epsilon);
    for (std::int64_t j = 0; j < x.cols; ++j)
      result.y.at(i, j) = (x.at(i, j) - mean) * scale * weight[static_cast<std::size_t>(j)] +
                          bias[static_cast<std::size_t>(j)];
    result.mean.push_back(mean);
    result.scale.push_back(scale);
  }
  return result;
}

Matrix attention(const Matrix &q, const Matrix &k, const Matrix &v, const AttentionShape &shape) {
  const auto [heads, sharing, queries, keys, causal] = shape;
  Matrix o(q.rows, q.cols);
  std::vector<double> p(static_cast<std::size_t>(keys));
  for (std::int64_t row = 0; row < heads * queries; ++row) {
    const std::int64_t first = row / queries / sharing * keys;   // of the head's keys
    const std::int64_t seen =
        causal ? std::clamp<std::int64_t>(row % queries + 1 + keys - queries, 0, keys) : keys;
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < q.cols; ++d)
        score += q.at(row, d) * k.at(first + j, d);
      p[static_cast<std::size_t>(j)] = score /= std::sqrt(static_cast<double>(q.cols));
      largest = std::max(largest, score);
    }
    for (std::int64_t j = 0; j < seen; ++j) {
      const double weight = std::exp(p[static_cast<std::size_t>(j)] - largest);
      total += weight;
      for (std::int64_t d = 0; d < q.cols; ++d)
        o.at(row, d) += weight * v.at(first + j, d);
    }
    for (std::int64_t d = 0; d < q.cols && seen > 0; ++d)
      o.at(row, d) /= total;
  }
  return o;
}

}   // namespace tile::reference
