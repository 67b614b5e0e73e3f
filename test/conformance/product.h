// SPDX-License-Identifier: MIT
// Matrix products on the host, and how far a device may be from them.
#pragma once

#include "context.h"

namespace tile::conformance {

// Where element (i, j) of a matrix lies.
struct MatrixView {
  const Array *values;
  std::size_t row_stride, column_stride, offset = 0;
  long double operator()(std::size_t i, std::size_t j) const {
    return values->real(offset + i * row_stride + j * column_stride);
  }
};

// c = acc + a * b in f64; acc may be null.
std::vector<double> multiply(const MatrixView &a, const MatrixView &b, const MatrixView *acc, std::size_t m,
                             std::size_t n, std::size_t k);

// What sums of k products of `operand`, accumulated in `result`, are held to.
Tolerance product_tolerance(ElementType operand, ElementType result, std::size_t k);

// Integers in [-2, 2]: their products sum exactly, in f16 too, up to a K of 512.
Array exact_inputs(Context &t, ElementType type, std::size_t n);

}   // namespace tile::conformance
