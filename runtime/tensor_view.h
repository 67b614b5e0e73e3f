// SPDX-License-Identifier: MIT
// Views of device memory as vectors, matrices and stacks of matrices. Host functions such as gemm() take
// views, so that size and strides come with the address. A view owns nothing.
//
//   MatrixView a(buffer, m, k);             // stored by rows
//   gemm(device, a, column_major(weights, k, n), MatrixView(out, m, n));
//   gemm(device, a.block(0, 0, 64, k), b.transposed(), c);
#pragma once

#include <tile/buffer.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <type_traits>

namespace tile {

namespace detail {
// Throws tile::Error at `where` if an extent is negative.
void check_extents(std::span<const std::int64_t> extents, const std::source_location &where);
// Throws if an element of the view lies outside a buffer of `size` elements.
void check_view(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
                std::size_t size, const std::source_location &where);
// Throws if the block [from, from + count) is not within the view.
void check_block(std::span<const std::int64_t> extents, std::span<const std::int64_t> from,
                 std::span<const std::int64_t> count, const std::source_location &where);
// The range from the first byte of a view to its last one.
MemoryExtent memory_of(const void *data, std::span<const std::int64_t> extents,
                       std::span<const std::int64_t> strides, std::size_t element_bytes);
template <class From, class To>
concept AddsConst = std::is_same_v<const From, To> && !std::is_same_v<From, To>;
}   // namespace detail

// Contiguous elements.
template <class T> struct VectorView {
  T *data = nullptr;
  std::int64_t size = 0;

  VectorView() = default;
  VectorView(T *elements, std::int64_t count, std::source_location where = std::source_location::current())
      : data(elements), size(count) {
    detail::check_extents(std::array{count}, where);
  }
  VectorView(const Buffer<std::remove_const_t<T>> &buffer)
      : data(buffer.data()), size(static_cast<std::int64_t>(buffer.size())) {}
  template <class U>
    requires detail::AddsConst<U, T>
  VectorView(const VectorView<U> &other) : data(other.data), size(other.size) {}

  VectorView block(std::int64_t from, std::int64_t count,
                   std::source_location where = std::source_location::current()) const {
    detail::check_block(std::array{size}, std::array{from}, std::array{count}, where);
    return {data + from, count};
  }
};
template <class T> VectorView(const Buffer<T> &) -> VectorView<T>;
template <class T> VectorView(T *, std::int64_t) -> VectorView<T>;

// Element (i, j) is at data + i * row_stride + j * col_stride.
template <class T> struct MatrixView {
  T *data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0, col_stride = 1;   // in elements

  MatrixView() = default;
  MatrixView(T *first, std::int64_t m, std::int64_t n,
             std::source_location where = std::source_location::current())
      : MatrixView(first, m, n, n, 1, where) {}
  MatrixView(T *first, std::int64_t m, std::int64_t n, std::int64_t across_rows, std::int64_t across_cols,
             std::source_location where = std::source_location::current())
      : data(first), rows(m), cols(n), row_stride(across_rows), col_stride(across_cols) {
    detail::check_extents(std::array{m, n}, where);
  }
  MatrixView(const Buffer<std::remove_const_t<T>> &buffer, std::int64_t m, std::int64_t n,
             std::source_location where = std::source_location::current())
      : MatrixView(buffer, m, n, n, 1, where) {}
  MatrixView(const Buffer<std::remove_const_t<T>> &buffer, std::int64_t m, std::int64_t n,
             std::int64_t across_rows, std::int64_t across_cols,
             std::source_location where = std::source_location::current())
      : MatrixView(buffer.data(), m, n, across_rows, across_cols, where) {
    detail::check_view(std::array{m, n}, std::array{across_rows, across_cols}, buffer.size(), where);
  }
  template <class U>
    requires detail::AddsConst<U, T>
  MatrixView(const MatrixView<U> &other)
      : data(other.data), rows(other.rows), cols(other.cols), row_stride(other.row_stride),
        col_stride(other.col_stride) {}

  MatrixView transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  MatrixView block(std::int64_t row, std::int64_t col, std::int64_t m, std::int64_t n,
                   std::source_location where = std::source_location::current()) const {
    detail::check_block(std::array{rows, cols}, std::array{row, col}, std::array{m, n}, where);
    return {data + row * row_stride + col * col_stride, m, n, row_stride, col_stride};
  }
};
template <class T, class... Rest> MatrixView(const Buffer<T> &, Rest...) -> MatrixView<T>;
template <class T, class... Rest> MatrixView(T *, Rest...) -> MatrixView<T>;

// A matrix stored column after column, as in BLAS.
template <class T>
MatrixView<T> column_major(T *first, std::int64_t rows, std::int64_t cols,
                           std::source_location where = std::source_location::current()) {
  return MatrixView<T>(first, rows, cols, 1, rows, where);
}
template <class T>
MatrixView<T> column_major(const Buffer<T> &buffer, std::int64_t rows, std::int64_t cols,
                           std::source_location where = std::source_location::current()) {
  return MatrixView<T>(buffer, rows, cols, 1, rows, where);
}

// A view with any number of axes. Without strides, it is contiguous and the last axis is the innermost.
template <class T, int Rank> struct TensorView {
  using Extents = std::array<std::int64_t, Rank>;
  T *data = nullptr;
  Extents extents{}, strides{};

  TensorView() = default;
  TensorView(T *first, const Extents &sizes, std::source_location where = std::source_location::current())
      : TensorView(first, sizes, packed(sizes), where) {}
  TensorView(T *first, const Extents &sizes, const Extents &steps,
             std::source_location where = std::source_location::current())
      : data(first), extents(sizes), strides(steps) {
    detail::check_extents(extents, where);
  }
  TensorView(const Buffer<std::remove_const_t<T>> &buffer, const Extents &sizes,
             std::source_location where = std::source_location::current())
      : TensorView(buffer, sizes, packed(sizes), where) {}
  TensorView(const Buffer<std::remove_const_t<T>> &buffer, const Extents &sizes, const Extents &steps,
             std::source_location where = std::source_location::current())
      : TensorView(buffer.data(), sizes, steps, where) {
    detail::check_view(extents, strides, buffer.size(), where);
  }
  template <class U>
    requires detail::AddsConst<U, T>
  TensorView(const TensorView<U, Rank> &other)
      : data(other.data), extents(other.extents), strides(other.strides) {}

  // Swaps the last two axes.
  TensorView transposed() const
    requires(Rank >= 2)
  {
    TensorView result = *this;
    std::swap(result.extents[Rank - 2], result.extents[Rank - 1]);
    std::swap(result.strides[Rank - 2], result.strides[Rank - 1]);
    return result;
  }
  TensorView block(const Extents &from, const Extents &count,
                   std::source_location where = std::source_location::current()) const {
    detail::check_block(extents, from, count, where);
    TensorView result(data, count, strides);
    for (int axis = 0; axis < Rank; ++axis)
      result.data += from[axis] * strides[axis];
    return result;
  }
  // Member `index` of a stack of matrices.
  MatrixView<T> matrix(std::int64_t index, std::source_location where = std::source_location::current()) const
    requires(Rank == 3)
  {
    detail::check_block(std::array{extents[0]}, std::array{index}, std::array{std::int64_t{1}}, where);
    return {data + index * strides[0], extents[1], extents[2], strides[1], strides[2]};
  }

  static Extents packed(const Extents &sizes) {
    Extents steps{};
    std::int64_t step = 1;
    for (int axis = Rank - 1; axis >= 0; --axis) {
      steps[axis] = step;
      step *= sizes[axis];
    }
    return steps;
  }
};

// The range from the first byte of a view to its last one, with the memory between its elements. It has 0
// bytes if the view has no elements, and a null address if the view has none.
template <class T> MemoryExtent memory_of(const VectorView<T> &view) {
  return detail::memory_of(view.data, std::array{view.size}, std::array{std::int64_t{1}}, sizeof(T));
}
template <class T> MemoryExtent memory_of(const MatrixView<T> &view) {
  return detail::memory_of(view.data, std::array{view.rows, view.cols},
                           std::array{view.row_stride, view.col_stride}, sizeof(T));
}
template <class T, int Rank> MemoryExtent memory_of(const TensorView<T, Rank> &view) {
  return detail::memory_of(view.data, view.extents, view.strides, sizeof(T));
}

}   // namespace tile
