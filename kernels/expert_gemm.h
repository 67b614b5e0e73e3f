// SPDX-License-Identifier: MIT
// The products of a mixture of experts: rows are sorted by expert, and each expert has a matrix of its own.
//
//    rows 0 .. ends[0] of c = activation(those rows of a * b[0])
//    rows ends[0] .. ends[1] = activation(those rows of a * b[1]), ...
//
// The device reads where the rows of each expert end. So a router on the device may decide it, and the host
// waits for nothing. Tiles are numbered over all experts, and program p computes the tiles p, p + P, p + 2P,
// ..., where P is the number of programs. A tile has rows of one expert:
//
//    ends = 200, 200, 330; tiles of 128 rows        0 .. 127 | 128 .. 199 | 200 .. 327 | 328, 329
//    P = 3                                          p = 0      1            2            0
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/gemm_factors.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/shipped_tunings.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tile::kernels {

struct ExpertGemmConfig {
  StoredBy b = StoredBy::rows;   // of each expert's matrix
  int block_m = 128, block_n = 128, block_k = 64;
  int group_m = 8;         // number of tile rows in a group of the swizzled order (swizzle2d)
  int programs = 132;      // one for each multiprocessor of an H200
  bool describes = true;   // false: load and store through pointers, if descriptors do not fit
  Launch launch{.num_warps = 8};
};

namespace detail {

// Of one tile: the sums of products of rows from_m on with columns from_n on.
template <class In>
Tensor<Accumulator<In>> sums_of_blocks(const Factor<In> &a, const Factor<In> &b, const Int &from_m,
                                       const Int &from_n, const ExpertGemmConfig &cfg) {
  const auto blocks_of_a = a.blocks(cfg.block_m, cfg.block_k),
             blocks_of_b = b.blocks(cfg.block_k, cfg.block_n);
  auto sums = zeros<Accumulator<In>>({cfg.block_m, cfg.block_n});
  for (auto i : range(0, cdiv(a.cols, cfg.block_k)))
    sums =
        dot(a.load(blocks_of_a, from_m, i * cfg.block_k), b.load(blocks_of_b, i * cfg.block_k, from_n), sums);
  return sums;
}
// The same, of rows before `end`.
template <class In>
Tensor<Accumulator<In>> sums_through_pointers(const Factor<In> &a, const Factor<In> &b, const Int &end,
                                              const Int &from_m, const Int &from_n,
                                              const ExpertGemmConfig &cfg) {
  auto i = from_m + arange(0, cfg.block_m), j = from_n + arange(0, cfg.block_n), p = arange(0, cfg.block_k);
  auto pa = a.data + (cast<i64>(i)(all, none) * a.row_stride + cast<i64>(p)(none, all));
  auto pb = b.data + cast<i64>(b.member->index) * b.member->apart +
            (cast<i64>(p)(all, none) * b.row_stride + cast<i64>(j)(none, all) * b.col_stride);
  auto sums = zeros<Accumulator<In>>({cfg.block_m, cfg.block_n});
  for (auto step : range(0, cdiv(a.cols, cfg.block_k))) {
    Int left = a.cols - step * cfg.block_k;
    auto x = load(pa, (i(all, none) < end) & (p(none, all) < left));
    auto y = load(pb, (p(all, none) < left) & (j(none, all) < b.cols));
    sums = dot(x, y, sums);
    pa += cfg.block_k;
    pb += cfg.block_k * b.row_stride;
  }
  return sums;
}

}   // namespace detail

// `ends[e]`: how many rows the experts up to e have. Rows from the last end on are not written.
template <class In, class Out, auto Activation>
void expert_gemm_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, Ptr<const i32> ends, Int experts,
                         Int rows, Int n, Int k, Int64 a_row, Int64 b_expert, Int64 b_row, Int64 b_col,
                         Int64 c_row, const ExpertGemmConfig &cfg) {
  const int BM = cfg.block_m, BN = cfg.block_n;
  constexpr int most = std::numeric_limits<i32>::max();
  // Rows behind an expert's last one are the next expert's: what is multiplied there is not stored.
  const detail::Factor<In> left{a, rows, k, a_row, 1, StoredBy::rows};
  detail::Factor<In> right{b, k, n, b_row, b_col, cfg.b};
  (cfg.b == StoredBy::rows ? right.col_stride : right.row_stride) = 1;
  detail::Result<Out> result{c, 0, n, c_row, 1};
  if (cfg.describes) {   // its rows are known on the device alone, so what the launch knows is promised
    result.data = assume_divisible(c, 16);
    result.cols = assume_range(n, 0, most);
    result.row_stride =
        assume_range(assume_divisible(c_row, 16 / sizeof(Out)), 0, std::numeric_limits<i64>::max());
  }

  Int next = program_id(0), first = 0,
      begin = 0;   // this program's next tile; the expert's first tile and row
  for (auto e : range(0, experts).specialize_warps()) {
    // Ends that are not in order, or beyond the rows, make results meaningless and touch nothing else.
    Int end = assume_range(minimum(maximum(load(ends + e), begin), rows), 0, most - BM);
    Int tile_rows = cdiv(end - begin, BM), tile_cols = cdiv(n, BN), last = first + tile_rows * tile_cols;
    for (auto tile : range(next, last, num_programs(0)).specialize_warps()) {
      Int local = tile - first;
      const auto [tile_m, tile_n] =
          swizzle2d(local / tile_cols, local % tile_cols, tile_rows, tile_cols, cfg.group_m);
      Int from_m = assume_range(begin + tile_m * BM, 0, most - BM),
          from_n = assume_range(tile_n * BN, 0, most - BN);
      detail::Factor<In> own{
          right.data, k, n, right.row_stride, right.col_stride, cfg.b, detail::Member{e, experts, b_expert}};
      auto sums = cfg.describes ? detail::sums_of_blocks(left, own, from_m, from_n, cfg)
                                : detail::sums_through_pointers(left, own, end, from_m, from_n, cfg);
      result.rows = end;
      result.store(cfg.describes, from_m, from_n, cast<Out>(detail::activate<Activation>(sums)));
    }
    // The first tile of this program at or past `last`.
    next += cdiv(maximum(last - next, 0), num_programs(0)) * num_programs(0);
    first = last;
    begin = end;
  }
}

namespace detail {
// For both orders of b, with and without descriptors.
std::vector<ExpertGemmConfig> expert_gemm_configs();
// The largest mean of rows of an expert that is in the same bucket.
std::int64_t rows_of_expert(int rows, int experts);

// Of a single row or column, the stride across does not matter.
template <class T> MatrixView<T> stored_by_rows(MatrixView<T> view) {
  constexpr std::int64_t step = 16;
  if (view.cols <= 1)
    view.col_stride = 1;
  if (view.rows <= 1)
    view.row_stride = (view.cols + step) / step * step;
  return view;
}

template <class In, class Out>
bool experts_fit_descriptors(const In *a, const In *b, Out *c, std::int64_t a_row, std::int64_t b_expert,
                             std::int64_t b_row, std::int64_t b_col, std::int64_t c_row) {
  const auto fits = [](StoredBy order, const In *data, std::int64_t row, std::int64_t col) {
    return !descriptor_objection(order, reinterpret_cast<std::uintptr_t>(data), row, col, sizeof(In));
  };
  return fits(StoredBy::rows, a, a_row, 1) &&
         fits(b_col == 1 ? StoredBy::rows : StoredBy::columns, b, b_row, b_col) &&
         b_expert > 0 &&   // a stack of one matrix again and again has no stride
         b_expert * static_cast<std::int64_t>(sizeof(In)) % 16 == 0 && fits_descriptor(c, c_row, 1);
}
}   // namespace detail

template <class In, class Out = In, auto Activation = no_activation>
inline const Kernel<&expert_gemm_program<In, Out, Activation>> expert_gemm_kernel{
    .name = "expert_gemm",
    .parameters = {"a", "b", "c", "ends", "experts", "rows", "n", "k", "a_row", "b_expert", "b_row", "b_col",
                   "c_row"},
    .grid = [](auto &cfg, auto...) { return Grid{cfg.programs}; },
    .configs = detail::expert_gemm_configs(),
    .key =
        [](auto a, auto b, auto c, auto, int experts, int rows, int n, int k, std::int64_t a_row,
           std::int64_t b_expert, std::int64_t b_row, std::int64_t b_col, std::int64_t c_row) {
          return Key{
              experts,    detail::rows_of_expert(rows, experts),
              n,          k,
              b_col == 1, detail::experts_fit_descriptors(a, b, c, a_row, b_expert, b_row, b_col, c_row)};
        },
    .keep =
        [](auto &cfg, auto a, auto b, auto c, auto, int, int, int n, int, std::int64_t a_row,
           std::int64_t b_expert, std::int64_t b_row, std::int64_t b_col, std::int64_t c_row) {
          return (cfg.b == StoredBy::rows) == (b_col == 1) &&
                 (!cfg.describes || detail::stores_fit(cfg, n)) &&
                 cfg.describes ==
                     detail::experts_fit_descriptors(a, b, c, a_row, b_expert, b_row, b_col, c_row);
        },
    .work = [](auto, auto, auto, auto, int, int rows, int n, int k,
               auto...) { return detail::work_of_product(rows, n, k); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, int experts, int rows, int n, int k,
           auto...) {
          detail::Product product{
              .m = detail::rows_of_expert(rows, experts), .n = n, .k = k, .count = experts};
          product.in_bytes = sizeof(In);
          product.out_bytes = sizeof(Out);
          product.is_exact = detail::is_exact_product<In, Precision::tf32>;
          product.b_along_k = cfg.b == StoredBy::columns;
          product.is_uneven = true;
          return detail::product_seconds(machine, product,
                                         {.block_m = cfg.block_m,
                                          .block_n = cfg.block_n,
                                          .block_k = cfg.block_k,
                                          .launch = cfg.launch,
                                          .is_described = cfg.describes,
                                          .stores_described = cfg.describes});
        },
    .tunes = Tunes::when_asked,
    .shipped_tunings = detail::shipped_tunings};

struct ExpertGemmOptions {
  std::optional<ExpertGemmConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;        // without a config: what decides the bits of a result
};

// Computes c = activation(a * b[e]) for the rows of each expert e. `ends` is in the device's memory, and
// ascends; `b` has a matrix for each end.
template <auto Activation = no_activation, class A, class B, class C>
void expert_gemm(OnDevice on, const MatrixView<A> &a, const TensorView<B, 3> &b, const MatrixView<C> &c,
                 const VectorView<const i32> &ends, const ExpertGemmOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b must have the same element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements must not be const");
  const detail::Operands operands("expert_gemm", on.where);
  const detail::Stack stack = detail::stack_of(b);
  operands.product(detail::extents(a), stack.member(0).shape, detail::extents(c));
  operands.same_size("ends", ends.size, "the number of matrices of b", b.extents[0]);
  operands.output("c", detail::placed(c));
  operands.apart("c", detail::placed(c), "a", detail::placed(a));
  operands.apart("c", detail::placed(c), "ends", detail::placed(ends));
  const detail::Stack written{c.data, {1, c.rows, c.cols}, {0, c.row_stride, c.col_stride}, sizeof(C)};
  operands.apart("c", written, "b", stack);
  const auto left = detail::stored_by_rows(MatrixView<const In>(a));
  const auto result = detail::stored_by_rows(c);
  if (left.col_stride != 1 || result.col_stride != 1)
    operands.refuse(std::string(left.col_stride != 1 ? "a" : "c") + " is not stored by rows",
                    "copy it to a matrix whose rows are contiguous");
  const auto first = detail::with_describable_strides(
      MatrixView<const In>(b.data, b.extents[1], b.extents[2], b.strides[1], b.strides[2]));
  if (first.col_stride != 1 && first.row_stride != 1)
    operands.refuse("neither the rows nor the columns of b's matrices are contiguous",
                    "copy b to a stack of matrices with contiguous rows");
  const int experts = operands.extent("the number of experts", b.extents[0]),
            rows = operands.extent("the number of rows", a.rows), n = operands.extent("n", c.cols),
            k = operands.extent("k", a.cols);
  const std::int64_t apart = experts <= 1 ? 16 : b.strides[0];
  std::optional<ExpertGemmConfig> config = options.config;
  if (config) {
    operands.tiles(*config);
    config->b = first.col_stride == 1 ? StoredBy::rows : StoredBy::columns;
    config->describes =
        detail::experts_fit_descriptors(left.data, first.data, result.data, left.row_stride, apart,
                                        first.row_stride, first.col_stride, result.row_stride);
  }
  detail::with_numerics<expert_gemm_kernel<In, C, Activation>>(options.numerics)
      .launch_with(config, on, left.data, first.data, result.data, ends.data, experts, rows, n, k,
                   left.row_stride, apart, first.row_stride, first.col_stride, result.row_stride);
}

}   // namespace tile::kernels
