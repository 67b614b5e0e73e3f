// SPDX-License-Identifier: MIT
// What kernels that quantise share: which scale elements get, which number an element becomes, tiles of
// blocks, and the checks of operands.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tile::kernels::detail {

// Scales by blocks belong to 128 elements of a row, or to 128 rows of them, as in scaled_gemm.
inline constexpr int quantized_block = 128;

template <class Q>
inline constexpr float largest_quantized = std::is_same_v<Q, e4m3>   ? 448.0f
                                           : std::is_same_v<Q, e5m2> ? 57344.0f
                                                                     : 127.0f;

// 8-bit floats keep a NaN where it is. Integers have none, so the scale becomes NaN.
template <class Q>
inline constexpr Nan nan_of_absmax = std::is_same_v<Q, i8> ? Nan::propagate : Nan::ignore;

template <class Q> Tensor<f32> absmax(const Tensor<f32> &x, int axis) {
  return max(abs(x), axis, nan_of_absmax<Q>);
}

// `rounding`: 0, or what rounds scales up to powers of two: all bits of the mantissa. An infinite scale and
// NaN stay.
template <class Q>
Tensor<f32> scale_of(const Tensor<f32> &absmax, const Float &least_scale, const Int &rounding) {
  auto scale = maximum(absmax / largest_quantized<Q>, least_scale, nan_of_absmax<Q>);
  auto is_finite = scale < std::numeric_limits<float>::infinity();
  auto bits = (bitcast<i32>(where(is_finite, scale, 1.0f)) + rounding) & ~rounding;
  return where(is_finite, bitcast<f32>(bits), scale);
}

template <class Q> Tensor<Q> quantized(const Tensor<f32> &scaled) {
  if constexpr (std::is_same_v<Q, i8>)
    return cast<i8>(rint(scaled));
  else
    return cast<Q>(scaled);
}

template <class X, class Q> constexpr void check_quantized_elements() {
  using T = std::remove_const_t<X>;
  static_assert(std::is_same_v<T, f32> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>,
                "x has elements of f32, f16 or bf16");
  static_assert(std::is_same_v<Q, e4m3> || std::is_same_v<Q, e5m2> || std::is_same_v<Q, i8>,
                "q has elements of e4m3, e5m2 or i8, and is written: they must not be const");
}

inline int rounding_of_scales(bool to_powers_of_two) { return to_powers_of_two ? 0x7fffff : 0; }

// What a program takes: a tile of [rows, blocks, columns of a block]. Programs that follow each other go
// along rows.
struct QuantizeTile {
  Tensor<i64> row, block, col;   // [rows], [blocks], [blocks, columns of a block]

  template <class E> Ptr<E> in(const Ptr<E> &matrix, const Int64 &row_stride, const Int64 &col_stride) const {
    return matrix + row(all, none, none) * row_stride + col(none, all, all) * col_stride;
  }
  Tensor<i1> is_inside(const Int64 &rows, const Int64 &cols) const {
    return (row(all, none, none) < rows) & (col(none, all, all) < cols);
  }
  // Where lines have scales.
  Tensor<i1> has_lines(const Int64 &rows, const Int64 &cols) const {
    return (row(all, none) < rows) & (block(none, all) * quantized_block < cols);
  }
};
inline QuantizeTile quantize_tile(const Int64 &cols, int block_m, int block_n) {
  const int blocks = block_n / quantized_block;
  Int program = program_id(0), tiles_of_row = cast<i32>(cdiv(cols, std::int64_t{block_n}));
  Int down = program / tiles_of_row, along = program - down * tiles_of_row;
  auto row = cast<i64>(down) * block_m + cast<i64>(arange(0, block_m));
  auto block = cast<i64>(along) * blocks + cast<i64>(arange(0, blocks));
  auto col = block(all, none) * quantized_block + cast<i64>(arange(0, quantized_block))(none, all);
  return {row, block, col};
}

// The inverse of a scale has to be a normal number, too.
inline void check_least_scale(const Operands &operands, float scale) {
  constexpr float smallest = std::numeric_limits<float>::min();
  if (!(scale >= smallest && scale <= 1 / smallest))
    operands.refuse("options.least_scale is not from 2^-126 to 2^126",
                    "the scale and its inverse must be normal numbers of f32");
}

inline Extents block_extents(Extents matrix) {
  constexpr std::int64_t block = quantized_block;
  return {cdiv(matrix.rows, block), cdiv(matrix.cols, block)};
}
inline bool are_same(Extents a, Extents b) { return a.rows == b.rows && a.cols == b.cols; }
inline std::string sizes_text(Extents shape) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.cols);
}

}   // namespace tile::kernels::detail
