// SPDX-License-Identifier: MIT
// What the kernels of products by descriptors share: the config, and factors and results as blocks.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/sum_of_parts.h>
#include <tile/tensor_view.h>
#include <tile/workspace.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tile::kernels {

// How an operand lies in memory: row after row, or column after column.
enum class StoredBy { rows, columns };

struct GemmConfig {
  StoredBy a = StoredBy::rows, b = StoredBy::rows;
  int block_m = 128, block_n = 128, block_k = 64;
  int group_m = 8;                   // number of tile rows in a group of the swizzled order (swizzle2d)
  bool store_by_descriptor = true;   // false: store C through pointers, if no descriptor fits it
  // Multiply the transposes. Some units need at least 64 rows of the left factor; with swap_ab these are
  // columns of b, and block_m may be as small as 8.
  bool swap_ab = false;
  // The number of programs that share a tile, each with a part of K. It helps if there are few tiles and K is
  // long. The programs write their sums to memory, and a second kernel adds them.
  int split_k = 1;
  Launch launch{.num_warps = 8};
};

namespace detail {

// The index of a matrix in a batch; the distance from one matrix to the next is `apart` elements.
struct Member {
  Int index, count;
  Int64 apart;
};

// A factor as the kernel receives it: a single matrix or a member of a batch.
template <class T> struct Factor {
  Ptr<const T> data;
  Int rows, cols;
  Int64 row_stride, col_stride;
  StoredBy order;
  std::optional<Member> member = std::nullopt;

  // A descriptor of its blocks. For a matrix stored by columns it describes the transpose, stored by rows.
  Descriptor<const T> blocks(int block_rows, int block_cols) const {
    const bool by_rows = order == StoredBy::rows;
    const Int &outer = by_rows ? rows : cols, &inner = by_rows ? cols : rows;
    const Int64 &across = by_rows ? row_stride : col_stride;
    const int block_outer = by_rows ? block_rows : block_cols,
              block_inner = by_rows ? block_cols : block_rows;
    return member ? descriptor(data, {member->count, outer, inner}, {member->apart, across, 1},
                               {1, block_outer, block_inner})
                  : descriptor(data, {outer, inner}, {across, 1}, {block_outer, block_inner});
  }
  Tensor<T> load(const Descriptor<const T> &blocks, const Int &row, const Int &col) const {
    const bool by_rows = order == StoredBy::rows;
    const Int &outer = by_rows ? row : col, &inner = by_rows ? col : row;
    const auto block =
        member ? blocks.load_reduced({member->index, outer, inner}) : blocks.load({outer, inner});
    return by_rows ? block : trans(block);
  }
};

// A result stored by rows, to which tiles are written. `above`: how many rows of other results lie before it.
template <class T> struct Result {
  Ptr<T> data;
  Int rows, cols;
  Int64 row_stride, col_stride;
  std::optional<Int> above = std::nullopt;

  void store(bool describes, const Int &from_row, const Int &col, const Tensor<T> &tile) const {
    const int block_rows = tile.shape()[0], block_cols = tile.shape()[1];
    const Int row = above ? *above + from_row : from_row;
    if (describes) {
      descriptor(data, {rows, cols}, {row_stride, 1}, {block_rows, block_cols}).store({row, col}, tile);
    } else {
      auto i = row + arange(0, block_rows), j = col + arange(0, block_cols);
      auto at = data + (cast<i64>(i)(all, none) * row_stride + cast<i64>(j)(none, all) * col_stride);
      tile::store(at, tile, (i(all, none) < rows) & (j(none, all) < cols));
    }
  }
};

// If an operand has at most one row or one column, its stride across does not matter. Replace it by a stride
// that descriptors accept, and that is of the class of most strides: code for other sizes serves this one.
// Not where a single row is to be multiplied as several rows with its stride are.
template <class T>
MatrixView<T> with_describable_strides(MatrixView<T> view, Numerics numerics = Numerics::any) {
  if (numerics == Numerics::batch_invariant)
    return view;
  constexpr std::int64_t step = 16;
  auto beyond = [](std::int64_t extent) { return (extent + step) / step * step; };
  if (view.cols <= 1 && view.row_stride == 1 && view.rows > 1)
    view.col_stride = beyond(view.rows);
  else if (view.cols <= 1)
    view.col_stride = 1;
  if (view.rows <= 1 && view.col_stride == 1)
    view.row_stride = beyond(view.cols);
  else if (view.rows <= 1)
    view.row_stride = 1;
  return view;
}

// Checks the rules of descriptors for a matrix as the kernel receives it, stored by rows (StoredBy::rows) or
// by columns. Returns null if they hold, else a sentence about the first one that does not.
const char *descriptor_objection(StoredBy order, std::uint64_t address, std::int64_t row_stride,
                                 std::int64_t col_stride, int element_bytes);
template <class T> bool fits_descriptor(T *result, std::int64_t row_stride, std::int64_t col_stride) {
  return !descriptor_objection(StoredBy::rows, reinterpret_cast<std::uintptr_t>(result), row_stride,
                               col_stride, sizeof(T));
}

inline constexpr int most_split_k = 64;
bool is_worth_split_k(const GemmConfig &cfg, const Product &product);
// Seconds that the products are expected to take; the same for all numbers of rows in a bucket.
double gemm_seconds(const Machine &machine, const GemmConfig &cfg, Product product);
// The row stride of the sums of a part, in elements.
inline std::int64_t parts_row(int n) { return (std::int64_t{n} + 63) / 64 * 64; }
inline std::int64_t rows_of_part(const GemmConfig &cfg, int m) {
  return std::int64_t{cdiv(m, cfg.block_m)} * cfg.block_m;
}

// Calls launch(parts, rows of all parts, stride of their rows), with memory for the sums of the parts of K if
// there are several, and adds them up.
template <class Sum, auto Activation, class C, class F>
void with_parts_of_k(OnDevice on, const GemmConfig &cfg, C *c, int m, int n, std::int64_t c_row,
                     std::int64_t c_col, const F &launch) {
  const std::int64_t row = parts_row(n), rows = rows_of_part(cfg, m), all_rows = rows * cfg.split_k;
  if (cfg.split_k <= 1)
    return launch(static_cast<Sum *>(nullptr), 0, row);
  if (all_rows > std::numeric_limits<int>::max())
    Operands("gemm", on.where)
        .refuse("the sums of " + std::to_string(cfg.split_k) + " parts of K have too many rows",
                "set split_k to 1");
  const Workspace<Sum> parts(on.device, static_cast<std::size_t>(all_rows * row));
  launch(parts.data(), static_cast<int>(all_rows), row);
  sum_of_parts_kernel<Sum, C, Activation>.launch_with(SumOfPartsConfig{.parts = cfg.split_k}, on,
                                                      parts.data(), c, m, n, rows * row, row, c_row, c_col);
}

}   // namespace detail
}   // namespace tile::kernels
