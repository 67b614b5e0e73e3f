// SPDX-License-Identifier: MIT
// What the kernels are checked against: the same functions in float64, written for the eye. The tool
// and the tests share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <vector>

namespace tile::reference {

// Sizes come from command lines: a product that no memory holds is bad_alloc, before it overflows.
inline std::size_t element_count(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t limit = std::int64_t{1} << 34;
  if (rows != 0 && cols > limit / rows)
    throw std::bad_alloc();
  return static_cast<std::size_t>(rows * cols);
}

struct Matrix {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> values;   // row after row

  Matrix() = default;
  Matrix(std::int64_t r, std::int64_t c) : rows(r), cols(c), values(element_count(r, c)) {}
  double &at(std::int64_t r, std::int64_t c) { return values[static_cast<std::size_t>(r * cols + c)]; }
  double at(std::int64_t r, std::int64_t c) const { return values[static_cast<std::size_t>(r * cols + c)]; }
};

// An f32 as the tf32 units of a GPU read it: the low 13 bits of the mantissa are dropped.
double as_tf32(double value);
void round_to_tf32(Matrix &values);

using Function = double (*)(double);
double leaky_relu(double x);
double leaky_relu_of_integer(double x);   // x / 100 truncates
double gelu(double x);

// The additions, each with its multiplication, and the exponentials that the functions below have computed in
// this thread: a test holds them against what a run may cost.
double work_done();
void count_work(double operations);

Matrix matmul(const Matrix &a, const Matrix &b, Function activation = nullptr);
Matrix softmax(const Matrix &x);

struct LayerNorm {
  Matrix y;
  std::vector<double> mean, scale;
};
LayerNorm layer_norm(const Matrix &x, std::span<const double> weight, std::span<const double> bias,
                     double epsilon);

struct AttentionShape {
  std::int64_t heads, sharing, queries, keys;
  bool causal = false;
  std::optional<std::int64_t> before, after;   // the window around a query's own key
  std::optional<std::int64_t> first_own;       // the own key of query 0; none: keys - queries
  double scale = 0;                            // 0: divided by the root of the columns
  double soft_cap = 0;                         // 0: none
  std::span<const double> slopes;              // of each head
  const Matrix *bias = nullptr;                // [heads or 1 times queries, keys]
};
// Heads lie one below the other; so many heads of q share one of k and v.
Matrix attention(const Matrix &q, const Matrix &k, const Matrix &v, const AttentionShape &shape);
// These rows of it. `log_sum_exp`, if any, gets one number for each.
Matrix attention_rows(const Matrix &q, const Matrix &k, const Matrix &v, const AttentionShape &shape,
                      std::span<const std::int64_t> rows, std::vector<double> *log_sum_exp = nullptr);

struct AttentionGradients {
  Matrix q, k, v;
};
// The gradients of a function whose gradient by attention's result is `grad_o`. `wanted`, if any, says of
// each row of k whether its gradients are asked for; those of q are then incomplete.
AttentionGradients attention_gradients(const Matrix &q, const Matrix &k, const Matrix &v,
                                       const Matrix &grad_o, const AttentionShape &shape,
                                       const std::vector<bool> &wanted = {});

}   // namespace tile::reference
