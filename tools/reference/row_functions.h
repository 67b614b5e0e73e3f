// SPDX-License-Identifier: MIT
// The row functions and their gradients in float64. `grad_y` is the gradient of a function by the result;
// these give its gradients by the operands.
#pragma once

#include "tools/reference/compare.h"
#include "tools/reference/matrix.h"

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

// Gradients are differences and sums of numbers of about 1.
Tolerance row_gradient_tolerance(ElementType out);

}   // namespace tile::reference
