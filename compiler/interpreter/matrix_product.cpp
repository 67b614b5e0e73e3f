// SPDX-License-Identifier: MIT
#include "compiler/interpreter/matrix_product.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tile::interpreter {
namespace {

template <class T, int Width> struct VectorOf {
  typedef T type __attribute__((vector_size(Width * sizeof(T))));
};

// A block of Rows rows and two vectors of columns stays in registers while k runs. `panel` holds
// those columns of b, one row of two vectors after the other.
template <class T, int Width, int Rows>
[[gnu::always_inline]] inline void addBlock(T *c, std::size_t cStride, const T *a, std::size_t depth,
                                            const T *panel) {
  using Vector = typename VectorOf<T, Width>::type;
  Vector sum[Rows][2];
  for (int row = 0; row < Rows; ++row)
    std::memcpy(sum[row], c + static_cast<std::size_t>(row) * cStride, sizeof sum[row]);
  for (std::size_t k = 0; k < depth; ++k, panel += 2 * Width) {
    Vector b[2];
    std::memcpy(b, panel, sizeof b);
    for (int row = 0; row < Rows; ++row) {
      // Minus zero keeps the sign of a zero, plus zero would not.
      const Vector broadcast = a[static_cast<std::size_t>(row) * depth + k] - Vector{};
      sum[row][0] += broadcast * b[0];
      sum[row][1] += broadcast * b[1];
    }
  }
  for (int row = 0; row < Rows; ++row)
    std::memcpy(c + static_cast<std::size_t>(row) * cStride, sum[row], sizeof sum[row]);
}

template <class T, int Width>
[[gnu::always_inline]] inline void addRows(T *c, std::size_t cStride, const T *a, std::size_t rows,
                                           std::size_t depth, const T *panel) {
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4)
    addBlock<T, Width, 4>(c + row * cStride, cStride, a + row * depth, depth, panel);
  for (; row < rows; ++row)
    addBlock<T, Width, 1>(c + row * cStride, cStride, a + row * depth, depth, panel);
}

template <class T, int Width>
[[gnu::always_inline]] inline void multiply(T *c, const T *a, const T *b, std::size_t rows,
                                            std::size_t columns, std::size_t depth, std::vector<T> &scratch) {
  constexpr std::size_t wide = 2 * Width;
  scratch.resize((depth + rows) * wide);
  T *panel = scratch.data(), *edge = panel + depth * wide;
  for (std::size_t column = 0; column < columns; column += wide) {
    const std::size_t some = std::min(wide, columns - column);
    for (std::size_t k = 0; k < depth; ++k) {
      std::memcpy(panel + k * wide, b + k * columns + column, some * sizeof(T));
      std::fill(panel + k * wide + some, panel + (k + 1) * wide, T{});
    }
    if (some == wide) {
      addRows<T, Width>(c + column, columns, a, rows, depth, panel);
      continue;
    }
    // Columns that do not fill a block: computed beside the matrix, with columns of zeros.
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(edge + row * wide, c + row * columns + column, some * sizeof(T));
      std::fill(edge + row * wide + some, edge + (row + 1) * wide, T{});
    }
    addRows<T, Width>(edge, wide, a, rows, depth, panel);
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(c + row * columns + column, edge + row * wide, some * sizeof(T));
  }
}

template <class T>
void multiplyBaseline(T *c, const T *a, const T *b, std::size_t rows, std::size_t columns, std::size_t depth,
                      std::vector<T> &scratch) {
  multiply<T, 16 / sizeof(T)>(c, a, b, rows, columns, depth, scratch);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void multiplyAvx2(T *c, const T *a, const T *b, std::size_t rows, std::size_t columns,
                                          std::size_t depth, std::vector<T> &scratch) {
  multiply<T, 32 / sizeof(T)>(c, a, b, rows, columns, depth, scratch);
}
bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

}   // namespace

template <class T>
void addProduct(T *c, const T *a, const T *b, std::size_t rows, std::size_t columns, std::size_t depth) {
  static thread_local std::vector<T> scratch;
#if defined(__x86_64__)
  if (hasAvx2())
    return multiplyAvx2(c, a, b, rows, columns, depth, scratch);
#endif
  multiplyBaseline(c, a, b, rows, columns, depth, scratch);
}

template void addProduct(float *, const float *, const float *, std::size_t, std::size_t, std::size_t);
template void addProduct(double *, const double *, const double *, std::size_t, std::size_t, std::size_t);
template void addProduct(std::uint32_t *, const std::uint32_t *, const std::uint32_t *, std::size_t,
                         std::size_t, std::size_t);
template void addProduct(std::uint64_t *, const std::uint64_t *, const std::uint64_t *, std::size_t,
                         std::size_t, std::size_t);

}   // namespace tile::interpreter
