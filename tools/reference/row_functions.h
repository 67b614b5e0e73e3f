// SPDX-License-Identifier: MIT
// The row functions and their gradients in float64. `grad_y` is the gradient of a function by the result;
// these give its gradients by the operands.
#pragma once

#include "tools/reference/compare.h"
#include "tools/reference/matrix.h"

#include <optional>
#include <span>
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

// Gradients are differences and sums of numbers of about 1.
Tolerance row_gradient_tolerance(ElementType out);

}   // namespace tile::reference
