// SPDX-License-Identifier: MIT
// C = activation(A * B) for factors with scales, as 8-bit floats and integers have them:
//
//   by blocks   c[i, j] = sum over blocks of 128 along K of  a_scales[i, block] * b_scales[block, j / 128] *
//   (a * b) by lines    c[i, j] = a_scales[i] * b_scales[j] * (a * b)
//
// By blocks, a product covers one block of K, and threads add its sums, scaled, in f32.
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/gemm_factors.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace tile::kernels {

enum class ScaledBy { blocks, lines };

// The scales of a * b, m x k times k x n. By blocks, a has m x ceil(k / 128) of them and b has
// ceil(k / 128) x ceil(n / 128). By lines, a has m x 1 and b has 1 x n; a stride of 0 gives all lines one
// scale.
struct Scales {
  static constexpr int block = 128;
  MatrixView<const f32> a, b;
};

template <class In, class Out, auto Activation, ScaledBy Form>
void scaled_gemm_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, Ptr<const f32> a_scales,
                         Ptr<const f32> b_scales, Int m, Int n, Int k, Int64 a_row, Int64 b_col, Int64 c_row,
                         Int64 c_col, Int64 a_scales_row, Int64 a_scales_col, Int64 b_scales_row,
                         Int64 b_scales_col, const GemmConfig &cfg) {
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  using Sum = Accumulator<In>;
  Int rows = cdiv(m, BM), cols = cdiv(n, BN);
  const auto [tile_m, tile_n] =
      swizzle2d(program_id(0) / cols, program_id(0) % cols, rows, cols, cfg.group_m);
  Int from_m = tile_m * BM, from_n = tile_n * BN;
  const detail::Factor<In> left{a, m, k, a_row, 1, StoredBy::rows},
      right{b, k, n, 1, b_col, StoredBy::columns};
  auto A = left.blocks(BM, BK);
  auto B = right.blocks(BK, BN);
  auto i = from_m + arange(0, BM);
  auto row_scales = [&](const Int64 &col) {
    return load(a_scales + (cast<i64>(i) * a_scales_row + col * a_scales_col), i < m);
  };

  auto sum = zeros<f32>({BM, BN});
  if (Form == ScaledBy::blocks) {
    for (auto block : range(0, cdiv(k, BK))) {
      auto of_block =
          dot(left.load(A, from_m, block * BK), right.load(B, block * BK, from_n), zeros<Sum>({BM, BN}));
      Float b_scale = load(
          b_scales + (cast<i64>(block) * b_scales_row + cast<i64>(from_n / Scales::block) * b_scales_col));
      sum = sum + cast<f32>(of_block) * (row_scales(cast<i64>(block)) * b_scale)(all, none);
    }
  } else {
    auto products = zeros<Sum>({BM, BN});
    for (auto block : range(0, cdiv(k, BK)))
      products = dot(left.load(A, from_m, block * BK), right.load(B, block * BK, from_n), products);
    auto j = from_n + arange(0, BN);
    auto col_scales = load(b_scales + cast<i64>(j) * b_scales_col, j < n);
    sum = cast<f32>(products) * row_scales(constant<i64>(0))(all, none) * col_scales(none, all);
  }
  const detail::Result<Out> result{c, m, n, c_row, c_col};
  result.store(cfg.store_by_descriptor, from_m, from_n, cast<Out>(detail::activate<Activation>(sum)));
}

namespace detail {
std::vector<GemmConfig> scaled_gemm_configs(ScaledBy form);
// Throws tile::Error if the scales do not fit the factors; says what kind they are.
ScaledBy check_scales(const Operands &operands, Extents a, Extents b, const Scales &scales);
// Throws if a factor is not stored along K in lines that a descriptor takes.
void check_along_k(const Operands &operands, const char *name, bool is_left, const Placed &factor);
// A single line, or lines of one element or none, may have any strides: they get those of most factors.
template <class T> MatrixView<T> with_lines_along_k(MatrixView<T> view, bool is_left) {
  const std::int64_t k = is_left ? view.cols : view.rows, lines = is_left ? view.rows : view.cols;
  if (k <= 1)
    (is_left ? view.col_stride : view.row_stride) = 1;
  if (k == 0 || lines <= 1)
    (is_left ? view.row_stride : view.col_stride) = (k + 16) / 16 * 16;
  return view;
}
}   // namespace detail

template <class In, class Out, auto Activation, ScaledBy Form>
inline const Kernel<&scaled_gemm_program<In, Out, Activation, Form>> scaled_gemm_kernel{
    .name = "scaled_gemm",
    .parameters = {"a", "b", "c", "a_scales", "b_scales", "m", "n", "k", "a_row", "b_col", "c_row", "c_col",
                   "a_scales_row", "a_scales_col", "b_scales_row", "b_scales_col"},
    .grid = [](auto &cfg, auto, auto, auto, auto, auto, int m, int n,
               auto...) { return Grid{std::int64_t{cdiv(m, cfg.block_m)} * cdiv(n, cfg.block_n)}; },
    .configs = detail::scaled_gemm_configs(Form),
    .complete =
        [](auto cfg, auto, auto, auto c, auto, auto, int, int, int, std::int64_t, std::int64_t,
           std::int64_t c_row, std::int64_t c_col, auto...) {
          cfg.b = StoredBy::columns;
          cfg.store_by_descriptor = cfg.store_by_descriptor && detail::fits_descriptor(c, c_row, c_col);
          return cfg;
        },
    .key = [](auto, auto, auto c, auto, auto, int m, int n, int k, std::int64_t, std::int64_t,
              std::int64_t c_row, std::int64_t c_col,
              auto...) { return Key{detail::row_bucket(m), n, k, detail::fits_descriptor(c, c_row, c_col)}; },
    .keep = [](auto &cfg, auto, auto, auto c, auto, auto, int, int, int, std::int64_t, std::int64_t,
               std::int64_t c_row, std::int64_t c_col,
               auto...) { return cfg.launch.num_ctas == 1 || detail::fits_descriptor(c, c_row, c_col); },
    .work = [](auto, auto, auto, auto, auto, int m, int n, int k,
               auto...) { return detail::work_of_product(m, n, k); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto, int m, int n, int k, auto...) {
          return detail::gemm_seconds(
              machine, cfg, {.m = m, .n = n, .k = k, .in_bytes = sizeof(In), .out_bytes = sizeof(Out)});
        },
    .tunes = Tunes::when_asked};

struct ScaledGemmOptions {
  std::optional<GemmConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;
};

// Computes c = activation(a * b) with the scales, rounded to c's element type. a is stored by rows and b by
// columns, in lines of multiples of 16 bytes.
template <auto Activation = no_activation, class A, class B, class C>
void scaled_gemm(OnDevice on, const MatrixView<A> &a_view, const MatrixView<B> &b_view,
                 const MatrixView<C> &c_view, const Scales &scales, const ScaledGemmOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b must have the same element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements must not be const");
  const detail::Operands operands("scaled_gemm", on.where);
  const auto a = detail::with_lines_along_k(a_view, true);
  const auto b = detail::with_lines_along_k(b_view, false);
  const auto c = detail::with_describable_strides(c_view);
  operands.product(detail::extents(a), detail::extents(b), detail::extents(c));
  operands.output("c", detail::placed(c));
  for (const auto &[name, place] : {std::pair{"a", detail::placed(a)}, std::pair{"b", detail::placed(b)},
                                    std::pair{"the scales of a", detail::placed(scales.a)},
                                    std::pair{"the scales of b", detail::placed(scales.b)}})
    operands.apart("c", detail::placed(c), name, place);
  const ScaledBy form = detail::check_scales(operands, detail::extents(a), detail::extents(b), scales);
  detail::check_along_k(operands, "a", true, detail::placed(a));
  detail::check_along_k(operands, "b", false, detail::placed(b));
  if (options.config) {
    operands.tiles(*options.config);
    const int cols = options.config->block_n;
    if (form == ScaledBy::blocks && (options.config->block_k != Scales::block || Scales::block % cols != 0))
      operands.refuse("scales by blocks need block_k = 128 and a block_n that divides 128",
                      "set block_k to 128 and block_n to 128, 64 or 32");
  }
  const int m = operands.extent("m", a.rows), n = operands.extent("n", b.cols),
            k = operands.extent("k", a.cols);
  auto run = [&](const auto &kernel) {
    kernel.launch_with(options.config, on, a, b, c, scales.a, scales.b, m, n, k, a.row_stride, b.col_stride,
                       c.row_stride, c.col_stride, scales.a.row_stride, scales.a.col_stride,
                       scales.b.row_stride, scales.b.col_stride);
  };
  if (form == ScaledBy::blocks)
    run(detail::with_numerics<scaled_gemm_kernel<In, C, Activation, ScaledBy::blocks>>(options.numerics));
  else
    run(detail::with_numerics<scaled_gemm_kernel<In, C, Activation, ScaledBy::lines>>(options.numerics));
}

}   // namespace tile::kernels
