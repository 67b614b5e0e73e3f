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

namespace {

// What a query makes of the keys of its head.
class AttentionRow {
 public:
  AttentionRow(const Matrix &q, const Matrix &k, const AttentionShape &shape, std::int64_t row)
      : query_(row % shape.queries), head_(row / shape.queries),
        first_row_(head_ / shape.sharing * shape.keys),
        scale_(shape.scale != 0 ? shape.scale : 1 / std::sqrt(static_cast<double>(q.cols))) {
    const std::int64_t own = query_ + shape.first_own.value_or(shape.keys - shape.queries);
    if (shape.before)
      from_ = std::clamp<std::int64_t>(own - *shape.before, 0, shape.keys);
    end_ = shape.keys;
    if (const auto after = shape.causal ? std::optional<std::int64_t>(0) : shape.after)
      end_ = std::clamp<std::int64_t>(own + *after + 1, from_, shape.keys);
    double total = 0;
    for (std::int64_t j = from_; j < end_; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < q.cols; ++d)
        score += q.at(row, d) * k.at(first_row_ + j, d);
      score *= scale_;
      slopes_.push_back(scale_);
      if (shape.soft_cap != 0) {
        const double bent = std::tanh(score / shape.soft_cap);
        score = shape.soft_cap * bent;
        slopes_.back() *= 1 - bent * bent;
      }
      if (!shape.slopes.empty())
        score -= shape.slopes[static_cast<std::size_t>(head_)] * static_cast<double>(std::abs(own - j));
      if (shape.bias)
        score += shape.bias->at((head_ * shape.queries + query_) % shape.bias->rows, j);
      weights_.push_back(score);
      largest_ = std::max(largest_, score);
    }
    const bool sees_none = std::isinf(largest_) && largest_ < 0;
    for (double &weight : weights_)
      total += weight = sees_none ? 0 : std::exp(weight - largest_);
    if (total > 0)
      for (double &weight : weights_)
        weight /= total;
    log_sum_exp_ = largest_ + std::log(total);
    count_work(2.0 * static_cast<double>(end_ - from_) * static_cast<double>(q.cols));
  }

  // Calls f(row of k and v, weight, derivative of the score by the product of q and k).
  template <class F> void for_each_key(F f) const {
    for (std::int64_t j = from_; j < end_; ++j)
      f(first_row_ + j, weights_[static_cast<std::size_t>(j - from_)],
        slopes_[static_cast<std::size_t>(j - from_)]);
  }
  double log_sum_exp() const { return log_sum_exp_; }

 private:
  std::int64_t query_, head_, first_row_, from_ = 0, end_ = 0;
  double scale_, largest_ = -std::numeric_limits<double>::infinity(), log_sum_exp_ = 0;
  std::vector<double> weights_, slopes_;
};

}   // namespace

Matrix attention_rows(const Matrix &q, const Matrix &k, const Matrix &v, const AttentionShape &shape,
                      std::span<const std::int64_t> rows, std::vector<double> *log_sum_exp) {
  Matrix o(static_cast<std::int64_t>(rows.size()), v.cols);
  for (std::int64_t at = 0; at < o.rows; ++at) {
    const AttentionRow row(q, k, shape, rows[static_cast<std::size_t>(at)]);
    row.for_each_key([&](std::int64_t key, double weight, double) {
      for (std::int64_t d = 0; d < v.cols; ++d)
        o.at(at, d) += weight * v.at(key, d);
    });
    if (log_sum_exp)
      log_sum_exp->push_back(row.log_sum_exp());
  }
  return o;
}

// With P = softmax(S) of a row and dP = dO V^T: dS = P (dP - sum of P dP).
AttentionGradients attention_gradients(const Matrix &q, const Matrix &k, const Matrix &v,
                                       const Matrix &grad_o, const AttentionShape &shape,
                                       const std::vector<bool> &wanted) {
  AttentionGradients grad{Matrix(q.rows, q.cols), Matrix(k.rows, k.cols), Matrix(v.rows, v.cols)};
  for (std::int64_t i = 0; i < q.rows; ++i) {
    const AttentionRow row(q, k, shape, i);
    auto grad_of_weight = [&](std::int64_t key) {
      double sum = 0;
      for (std::int64_t d = 0; d < v.cols; ++d)
        sum += grad_o.at(i, d) * v.at(key, d);
      return sum;
    };
    double mean = 0;
    row.for_each_key([&](std::int64_t key, double weight, double) { mean += weight * grad_of_weight(key); });
    row.for_each_key([&](std::int64_t key, double weight, double slope) {
      if (!wanted.empty() && !wanted[static_cast<std::size_t>(key)])
        return;
      const double grad_of_product = weight * (grad_of_weight(key) - mean) * slope;
      for (std::int64_t d = 0; d < v.cols; ++d)
        grad.v.at(key, d) += weight * grad_o.at(i, d);
      for (std::int64_t d = 0; d < q.cols; ++d) {
        grad.q.at(i, d) += grad_of_product * k.at(key, d);
        grad.k.at(key, d) += grad_of_product * q.at(i, d);
      }
    });
    count_work(2.0 * static_cast<double>(k.rows) * static_cast<double>(v.cols));
  }
  return grad;
}

}   // namespace tile::reference
