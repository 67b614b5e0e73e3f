// SPDX-License-Identifier: MIT
// The row functions and their gradients in float64. `grad_y` is the gradient of a function by the result;
// these give its gradients by the operands.
#pragma once

#include "tools/reference/compare.h"
#include "tools/reference/matrix.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tile::reference {

struct RmsNorm {
  Matrix y;
  std::vector<double> scale;   // 1 / sqrt(mean(x^2) + epsilon)
};
RmsNorm rms_norm(const Matrix &x, std::span<const double> weight, double epsilon);

struct NormGradients {
  Matrix x;
  std::vector<double> weight, bias;
};
// Without means: of rms_norm.
NormGradients norm_gradients(const Matrix &x, std::span<const double> weight, const Matrix &grad_y,
                             std::span<const double> mean, std::span<const double> scale);

struct CrossEntropy {
  std::vector<double> loss, log_sum_exp;
  Matrix grad;   // by the logits
};
struct CrossEntropyShape {
  std::span<const std::int64_t> targets;
  std::optional<std::int64_t> ignored;
  double smoothing = 0;
  std::span<const double> factors;   // of the gradient, for each row; none: 1
};
// A target that is neither a column nor ignored gives NaN.
CrossEntropy cross_entropy(const Matrix &logits, const CrossEntropyShape &shape);

Matrix log_softmax(const Matrix &x);
// The gradients by x, from the result y.
Matrix softmax_gradient(const Matrix &y, const Matrix &grad_y);
Matrix log_softmax_gradient(const Matrix &y, const Matrix &grad_y);

// What is given of a chosen element: itself, or its softmax over what was chosen or over the row.
enum class Share : std::uint8_t { none, of_chosen, of_row };
struct TopK {
  Matrix values, indices;
};
// Of equal elements, that of the lowest column is first. NaN is larger than every number.
TopK top_k(const Matrix &x, std::int64_t k, Share share);
// A function of gates, and its derivative. Beyond all finite numbers they have the values of their limits.
struct GateFunction {
  Function value, slope;
};
GateFunction gate_function(std::string_view name);   // silu, gelu, gelu_tanh, relu, sigmoid

Matrix gated_activation(const Matrix &gate, const Matrix &up, const GateFunction &function);
struct GateGradients {
  Matrix gate, up;
};
GateGradients gate_gradients(const Matrix &gate, const Matrix &up, const Matrix &grad_y,
                             const GateFunction &function);

struct RotaryShape {
  std::span<const std::int64_t> positions;   // of each row of x, a row of cosines and sines
  bool is_interleaved = false, is_inverse = false;
};
// Rows of x are heads of tokens. A position that is no row gives NaN in its pairs.
Matrix rotary_embedding(const Matrix &x, const Matrix &cosines, const Matrix &sines,
                        const RotaryShape &shape);

// Gradients are differences and sums of numbers of about 1.
Tolerance row_gradient_tolerance(ElementType out);

}   // namespace tile::reference
