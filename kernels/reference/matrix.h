// SPDX-License-Identifier: MIT
// What the kernels are checked against: the same functions in float64, written for the eye. The tool
// and the tests share them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tile::reference {

struct Matrix {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> values;   // row after row

  Matrix() = default;
  Matrix(std::int64_t r, std::int64_t c) : rows(r), cols(c), values(static_cast<std::size_t>(r * c)) {}
  double &at(std::int64_t r, std::int64_t c) { return values[static_cast<std::size_t>(r * cols + c)]; }
  double at(std::int64_t r, std::int64_t c) const { return values[static_cast<std::size_t>(r * cols + c)]; }
};

// An f32 as the tf32 units of a GPU read it: the low 13 bits of the mantissa are dropped.
double as_tf32(double value);

using Function = double (*)(double);
double leaky_relu(double x);
double leaky_relu_of_integer(double x);   // x / 100 truncates
double gelu(double x);

Matrix matmul(const Matrix &a, const Matrix &b, Function activation = nullptr);
Matrix softmax(const Matrix &x);

struct LayerNorm {
  Matrix y;
  std::vector<double> mean, scale;
};
LayerNorm layer_norm(const Matrix &x, std::span<const double> weight, std::span<const double> bias,
                     double epsilon);

}   // namespace tile::reference
