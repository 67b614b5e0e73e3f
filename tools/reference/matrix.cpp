// SPDX-License-Identifier: MIT
// The float64 functions.
#include "tools/reference/matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace tile::reference {

double as_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(bits & ~std::uint32_t{0x1fff}));
}

void round_to_tf32(Matrix &values) { std::ranges::transform(values.values, values.values.begin(), as_tf32); }

double leaky_relu(double x) { return x >= 0 ? x : 0.01 * x; }
double leaky_relu_of_integer(double x) { return x >= 0 ? x : std::trunc(x / 100); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

static thread_local double operations_done = 0;
double work_done() { return operations_done; }
void count_work(double operations) { operations_done += operations; }

// Integers stay exact: products of 8-bit integers sum to less than 2^53 for any K that fits memory. A row of
// b is read once for several rows of the result: a large b is in no cache.
Matrix matmul(const Matrix &a, const Matrix &b, Function activation) {
  constexpr std::int64_t together = 8;
  Matrix c(a.rows, b.cols);
  for (std::int64_t first = 0; first < a.rows; first += together) {
    const std::int64_t last = std::min(first + together, a.rows);
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const double *right = b.values.data() + k * b.cols;
      for (std::int64_t i = first; i < last; ++i) {
        const double left = a.at(i, k);
        double *row = c.values.data() + i * c.cols;
        for (std::int64_t j = 0; j < b.cols; ++j)
          row[j] += left * right[j];
      }
    }
  }
  count_work(static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols));
  if (activation)
    std::transform(c.values.begin(), c.values.end(), c.values.begin(), activation);
  return c;
}

Matrix softmax(const Matrix &x) {
  Matrix y(x.rows, x.cols);
  count_work(4 * static_cast<double>(x.values.size()));
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
  count_work(4 * static_cast<double>(x.values.size()));
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
  std::vector<std::int64_t> all(static_cast<std::size_t>(shape.heads * shape.queries));
  std::iota(all.begin(), all.end(), 0);
  return attention_rows(q, k, v, shape, all);
}

Matrix attention_rows(const Matrix &q, const Matrix &k, const Matrix &v, const AttentionShape &shape,
                      std::span<const std::int64_t> rows) {
  const std::int64_t keys = shape.keys, length = q.cols;
  Matrix o(static_cast<std::int64_t>(rows.size()), length);
  std::vector<double> p(static_cast<std::size_t>(keys));
  for (std::int64_t at = 0; at < o.rows; ++at) {
    const std::int64_t row = rows[static_cast<std::size_t>(at)];
    const std::int64_t first = row / shape.queries / shape.sharing * keys;   // of the head's keys
    const std::int64_t seen =
        shape.causal ? std::clamp<std::int64_t>(row % shape.queries + 1 + keys - shape.queries, 0, keys)
                     : keys;
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < length; ++d)
        score += q.at(row, d) * k.at(first + j, d);
      p[static_cast<std::size_t>(j)] = score /= std::sqrt(static_cast<double>(length));
      largest = std::max(largest, score);
    }
    for (std::int64_t j = 0; j < seen; ++j) {
      const double weight = std::exp(p[static_cast<std::size_t>(j)] - largest);
      total += weight;
      for (std::int64_t d = 0; d < length; ++d)
        o.at(at, d) += weight * v.at(first + j, d);
    }
    for (std::int64_t d = 0; d < length && seen > 0; ++d)
      o.at(at, d) /= total;
    count_work(2.0 * static_cast<double>(seen) * static_cast<double>(length));
  }
  return o;
}

}   // namespace tile::reference
