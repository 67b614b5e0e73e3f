// SPDX-License-Identifier: MIT
// Quantising in float64, rounded to f32 where the kernels round. Quotients and products of two numbers of f32
// then have the bits of f32 arithmetic, so results are compared exactly.
#pragma once

#include "runtime/element.h"
#include "tools/reference/matrix.h"

#include <cstdint>

namespace tile::reference {

struct QuantizedForm {
  ElementType type;                              // of q: e4m3, e5m2 or i8
  std::int64_t block_rows = 1, block_cols = 0;   // of one scale; 0: all columns
  bool powers_of_two = false;
  double least_scale = 0x1p-126;
  // How many scales matrices of so many columns have in a row.
  std::int64_t scales_of_row(std::int64_t cols) const {
    return block_cols == 0 ? 1 : (cols + block_cols - 1) / block_cols;
  }
};

struct Quantized {
  Matrix q, scales;
};
Quantized quantized(const Matrix &x, const QuantizedForm &form);
// With the scales of blocks given.
Matrix quantized_by(const Matrix &x, const Matrix &scales, const QuantizedForm &form);
// The operations that they count for an element.
inline constexpr double work_of_quantizing = 3;

}   // namespace tile::reference
