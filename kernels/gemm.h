// SPDX-License-Identifier: MIT
// C = activation(A * B) with tensor descriptors: blocks are copied by coordinates, without pointer tiles and
// masks. Elements past an edge read as 0 and are not written. Each operand may be stored by rows or by
// columns: that is the meaning of N and T in NN, NT, TN and TT.
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/gemm_factors.h>
#include <tile/gemm_of_terms.h>
#include <tile/matmul.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/shipped_tunings.h>
#include <tile/size_bucket.h>
#include <tile/sum_of_parts.h>
#include <tile/tensor_view.h>
#include <tile/workspace.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tile::kernels {

namespace detail {

template <class Sum> struct TileOfSums {
  Int from_m, from_n;
  Tensor<Sum> sums;   // transposed, if the config swaps A and B
};

// Computes tile number `program` of a * b, over all blocks of K or some of them.
struct BlocksOfK {
  Int begin, end;
};
template <Precision Products, class In>
TileOfSums<Accumulator<In>> sums_of_tile(const Int &program, const Factor<In> &a, const Factor<In> &b,
                                         const BlocksOfK &blocks, const GemmConfig &cfg) {
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  Int rows = cdiv(a.rows, BM), cols = cdiv(b.cols, BN);
  const auto [tile_m, tile_n] = swizzle2d(program / cols, program % cols, rows, cols, cfg.group_m);
  Int from_m = tile_m * BM, from_n = tile_n * BN;
  auto A = a.blocks(BM, BK);
  auto B = b.blocks(BK, BN);
  const DotOptions product{.precision = Products};
  auto acc = cfg.swap_ab ? zeros<Accumulator<In>>({BN, BM}) : zeros<Accumulator<In>>({BM, BN});
  for (auto i : range(blocks.begin, blocks.end)) {
    Int from_k = i * BK;
    auto x = a.load(A, from_m, from_k);
    auto y = b.load(B, from_k, from_n);
    acc = cfg.swap_ab ? dot(trans(y), trans(x), acc, product) : dot(x, y, acc, product);
  }
  return {from_m, from_n, acc};
}

// Computes and stores tile number `program` of c = activation(a * b).
template <auto Activation, Precision Products, class In, class Out>
void multiply_tile(const Int &program, const Factor<In> &a, const Factor<In> &b, const Result<Out> &c,
                   const GemmConfig &cfg) {
  const auto [from_m, from_n, sums] =
      sums_of_tile<Products>(program, a, b, {0, cdiv(a.cols, cfg.block_k)}, cfg);
  auto result = cast<Out>(activate<Activation>(sums));
  c.store(cfg.store_by_descriptor, from_m, from_n, cfg.swap_ab ? trans(result) : result);
}

// The same for part number `part` of K. Stores the sums in the rows of this part.
template <Precision Products, class In>
void multiply_part(const Int &part, const Int &program, const Factor<In> &a, const Factor<In> &b,
                   Result<Accumulator<In>> parts, const GemmConfig &cfg) {
  Int blocks = cdiv(a.cols, cfg.block_k), each = cdiv(blocks, cfg.split_k), begin = part * each;
  const auto [from_m, from_n, sums] =
      sums_of_tile<Products>(program, a, b, {begin, minimum(begin + each, blocks)}, cfg);
  parts.above = part * (cdiv(a.rows, cfg.block_m) * cfg.block_m);
  parts.store(cfg.store_by_descriptor, from_m, from_n, cfg.swap_ab ? trans(sums) : sums);
}

}   // namespace detail

// `parts`: memory for the sums of the parts of K, one part below the other. Each part has as many rows as its
// tiles have.
template <class In, class Out, auto Activation, Precision Products>
void gemm_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, Int m, Int n, Int k, Int64 a_row, Int64 a_col,
                  Int64 b_row, Int64 b_col, Int64 c_row, Int64 c_col, Ptr<Accumulator<In>> parts,
                  Dynamic<Int> parts_rows, Int64 parts_row, const GemmConfig &cfg) {
  const detail::Factor<In> left{a, m, k, a_row, a_col, cfg.a}, right{b, k, n, b_row, b_col, cfg.b};
  if (cfg.split_k > 1) {
    Int tiles = cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n);
    const detail::Result<Accumulator<In>> sums{parts, parts_rows, n, parts_row, 1};
    return detail::multiply_part<Products>(program_id(0) / tiles, program_id(0) % tiles, left, right, sums,
                                           cfg);
  }
  const detail::Result<Out> result{c, m, n, c_row, c_col};
  detail::multiply_tile<Activation, Products>(program_id(0), left, right, result, cfg);
}

namespace detail {
// Configs for every way to store the operands, with each tile size that is worth trying.
std::vector<GemmConfig> gemm_configs();
bool keep_gemm_config(const GemmConfig &cfg, Product product, bool a_by_rows, bool b_by_rows,
                      bool c_fits_descriptor);
template <class In, class Out, Precision Products>
double gemm_seconds(const Machine &machine, const GemmConfig &cfg, Product product) {
  product.in_bytes = sizeof(In);
  product.out_bytes = sizeof(Out);
  product.is_exact = is_exact_product<In, Products>;
  return gemm_seconds(machine, cfg, product);
}
}   // namespace detail

template <class In, class Out = In, auto Activation = no_activation, Precision Products = Precision::tf32>
inline const Kernel<&gemm_program<In, Out, Activation, Products>> gemm_kernel{
    .name = "gemm",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "c_row", "c_col",
                   "parts", "parts_rows", "parts_row"},
    .grid =
        [](auto &cfg, auto, auto, auto, int m, int n, auto...) {
          return Grid{std::int64_t{cdiv(m, cfg.block_m)} * cdiv(n, cfg.block_n) * cfg.split_k};
        },
    .configs = detail::gemm_configs(),
    .key =
        [](auto, auto, auto c, int m, int n, int k, std::int64_t, std::int64_t a_col, std::int64_t,
           std::int64_t b_col, std::int64_t c_row, std::int64_t c_col, auto...) {
          return Key{
              detail::row_bucket(m), n, k, a_col == 1, b_col == 1, detail::fits_descriptor(c, c_row, c_col)};
        },
    .keep =
        [](auto &cfg, auto, auto, auto c, int m, int n, int k, std::int64_t, std::int64_t a_col, std::int64_t,
           std::int64_t b_col, std::int64_t c_row, std::int64_t c_col, auto...) {
          return detail::keep_gemm_config(cfg, {m, n, k}, a_col == 1, b_col == 1,
                                          detail::fits_descriptor(c, c_row, c_col));
        },
    .work = [](auto, auto, auto, int m, int n, int k, auto...) { return detail::work_of_product(m, n, k); },
    .cost = [](auto &cfg, const Machine &machine, auto, auto, auto, int m, int n, int k,
               auto...) { return detail::gemm_seconds<In, Out, Products>(machine, cfg, {m, n, k}); },
    .tunes = Tunes::when_asked,
    .around =
        [](auto &cfg, OnDevice on, auto &launch, auto a, auto b, auto c, int m, int n, int k,
           std::int64_t a_row, std::int64_t a_col, std::int64_t b_row, std::int64_t b_col, std::int64_t c_row,
           std::int64_t c_col, auto, int, std::int64_t) {
          detail::with_parts_of_k<Accumulator<In>, Activation>(
              on, cfg, c, m, n, c_row, c_col, [&](auto *parts, int rows, std::int64_t row) {
                launch(a, b, c, m, n, k, a_row, a_col, b_row, b_col, c_row, c_col, parts, rows, row);
              });
        },
    .shipped_tunings = detail::shipped_tunings};

struct GemmOptions {
  Precision precision = Precision::tf32;   // of products of f32: tf32, ieee, bf16x3 or bf16x6
  std::optional<GemmConfig> config;   // none: the kernel chooses. `a` and `b` always follow from the operands
  Numerics numerics = Numerics::any;   // without a config: what decides the bits of a result
  // For operands that descriptors cannot describe. True: matmul() multiplies them; false: gemm() throws
  // tile::Error.
  bool fall_back = true;
};

// Computes c = activation(a * b), rounded to c's element type. The activation works element by element.
template <auto Activation = no_activation, class A, class B, class C>
void gemm(OnDevice on, const MatrixView<A> &a_view, const MatrixView<B> &b_view, const MatrixView<C> &c_view,
          const GemmOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b must have the same element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements must not be const");
  const detail::Operands operands("gemm", on.where);
  operands.product(detail::extents(a_view), detail::extents(b_view), detail::extents(c_view));
  operands.output("c", detail::placed(c_view));
  operands.apart("c", detail::placed(c_view), "a", detail::placed(a_view));
  operands.apart("c", detail::placed(c_view), "b", detail::placed(b_view));
  if (options.config) {
    operands.tiles(*options.config);
    if (options.config->split_k > detail::most_split_k)
      operands.refuse("split_k is " + std::to_string(options.config->split_k) + ", but at most " +
                          std::to_string(detail::most_split_k) +
                          " is supported: each part is an addition in a program",
                      "set split_k so that the tiles fill the GPU");
  }
  // If the result is stored by columns, compute its transpose, which is stored by rows.
  if (c_view.col_stride != 1 && c_view.row_stride == 1 && c_view.cols > 1)
    return gemm<Activation>(on, b_view.transposed(), a_view.transposed(), c_view.transposed(), options);

  const int m = operands.extent("m", a_view.rows), n = operands.extent("n", b_view.cols),
            k = operands.extent("k", a_view.cols);
  if constexpr (std::is_same_v<In, f32>) {
    auto multiply_terms = [&]<Precision Products>() {
      if (options.config && options.config->swap_ab)
        operands.refuse("bf16x3 and bf16x6 have no swap_ab", "set swap_ab to false");
      detail::gemm_of_terms<Activation, Products>(
          on, a_view, b_view, detail::with_describable_strides(c_view), options.config, options.numerics);
    };
    if (options.precision == Precision::bf16x6)
      return multiply_terms.template operator()<Precision::bf16x6>();
    if (options.precision == Precision::bf16x3)
      return multiply_terms.template operator()<Precision::bf16x3>();
  }
  const auto a = detail::with_describable_strides(a_view, options.numerics);
  const auto b = detail::with_describable_strides(b_view);
  const auto c = detail::with_describable_strides(c_view);
  const StoredBy order_a = a.col_stride == 1 ? StoredBy::rows : StoredBy::columns;
  const StoredBy order_b = b.col_stride == 1 ? StoredBy::rows : StoredBy::columns;
  auto objection = [](StoredBy order, const auto &view) {
    return detail::descriptor_objection(order, reinterpret_cast<std::uintptr_t>(view.data), view.row_stride,
                                        view.col_stride, sizeof(*view.data));
  };
  const char *about_a = objection(order_a, a), *about_b = objection(order_b, b);
  if (about_a || about_b) {
    if (!options.fall_back)
      operands.refuse(std::string(about_a ? "a" : "b") +
                          " does not fit a descriptor: " + (about_a ? about_a : about_b),
                      "set fall_back, or call matmul(), which takes any strides");
    return matmul<Activation>(on, a, b, c, {.precision = options.precision, .numerics = options.numerics});
  }

  std::optional<GemmConfig> config = options.config;
  if (config) {
    config->a = order_a;
    config->b = order_b;
    config->store_by_descriptor = config->store_by_descriptor && !objection(StoredBy::rows, c);
  }
  auto run = [&](const auto &kernel) {
    kernel.launch_with(config, on, a, b, c, m, n, k, a.row_stride, a.col_stride, b.row_stride, b.col_stride,
                       c.row_stride, c.col_stride, nullptr, 0, detail::parts_row(n));
  };
  if constexpr (std::is_same_v<In, f32>) {
    if (options.precision == Precision::ieee)
      return run(detail::with_numerics<gemm_kernel<In, C, Activation, Precision::ieee>>(options.numerics));
    if (options.precision != Precision::tf32)
      operands.refuse("products of f32 need tf32, ieee, bf16x3 or bf16x6 precision");
  }
  run(detail::with_numerics<gemm_kernel<In, C, Activation>>(options.numerics));
}

}   // namespace tile::kernels
