// SPDX-License-Identifier: MIT
// C = activation(A * B) with pointer arithmetic, for operands with any strides. The config chooses one of the
// three usual forms of such kernels. The forms differ in their requirements and their cost:
//
//   wrap    one program axis; indices past the end of M or N wrap around and are not masked,
//           so that only the K tail needs a mask (elements that are computed twice are not
//           stored twice)
//   mask    two program axes; every access is masked
//   exact   no masks: for sizes that the blocks divide
//
// Headers write x(all, none), which C++20 allows; in C++23 you can write x[all, none].
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/shipped_tunings.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <optional>
#include <utility>

namespace tile::kernels {

enum class MatmulForm { wrap, mask, exact };

struct MatmulConfig {
  MatmulForm form = MatmulForm::wrap;
  // If nothing is known about the strides, each element has its own address. Larger blocks need too many
  // registers for that.
  int block_m = 128, block_n = 128, block_k = 32;
  int group_m = 8;   // number of tile rows per group: their columns of B stay in the cache (swizzle2d)
  Launch launch{.num_warps = 8};
};

template <class In, class Out, auto Activation, Precision Products>
void matmul_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, Int m, Int n, Int k, Int64 a_row,
                    Int64 a_col, Int64 b_row, Int64 b_col, Int64 c_row, Int64 c_col,
                    const MatmulConfig &cfg) {
  const auto [form, BM, BN, BK, group, launch] = cfg;
  Int program = program_id(0), rows = cdiv(m, BM), cols = cdiv(n, BN);
  const auto [tile_m, tile_n] = form == MatmulForm::wrap
                                    ? swizzle2d(program / cols, program % cols, rows, cols, group)
                                    : std::pair{program, program_id(1)};
  auto rm = tile_m * BM + arange(0, BM), rn = tile_n * BN + arange(0, BN), rk = arange(0, BK);
  auto from_m = form == MatmulForm::wrap ? rm % m : rm, from_n = form == MatmulForm::wrap ? rn % n : rn;

  // Rows times strides are 64 bits wide: a matrix may have more than 2^31 elements.
  auto pa = a + (cast<i64>(from_m)(all, none) * a_row + cast<i64>(rk)(none, all) * a_col);
  auto pb = b + (cast<i64>(rk)(all, none) * b_row + cast<i64>(from_n)(none, all) * b_col);
  auto acc = zeros<Accumulator<In>>({BM, BN});
  for (auto i : range(0, cdiv(k, BK))) {
    Int left = k - i * BK;   // columns of A that are still to multiply
    auto x = form == MatmulForm::exact  ? load(pa)
             : form == MatmulForm::wrap ? load(pa, rk(none, all) < left)
                                        : load(pa, (rm(all, none) < m) & (rk(none, all) < left));
    auto y = form == MatmulForm::exact  ? load(pb)
             : form == MatmulForm::wrap ? load(pb, rk(all, none) < left)
                                        : load(pb, (rk(all, none) < left) & (rn(none, all) < n));
    acc = dot(x, y, acc, DotOptions{.precision = Products});
    pa += BK * a_col;
    pb += BK * b_row;
  }

  auto result = cast<Out>(detail::activate<Activation>(acc));
  auto pc = c + (cast<i64>(rm)(all, none) * c_row + cast<i64>(rn)(none, all) * c_col);
  if (form == MatmulForm::exact)
    store(pc, result);
  else
    store(pc, result, (rm(all, none) < m) & (rn(none, all) < n));
}

template <class In, class Out = In, auto Activation = no_activation, Precision Products = Precision::tf32>
inline const Kernel<&matmul_program<In, Out, Activation, Products>> matmul_kernel{
    .name = "matmul",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "c_row", "c_col"},
    .grid =
        [](auto &cfg, auto, auto, auto, int m, int n, auto...) {
          std::int64_t rows = cdiv(m, cfg.block_m), cols = cdiv(n, cfg.block_n);
          return cfg.form == MatmulForm::wrap ? Grid{rows * cols} : Grid{rows, cols};
        },
    // Without tuning and cost, the first config that `keep` admits is used: it fits the arguments.
    .configs =
        {{.form = MatmulForm::exact, .block_m = 128, .block_n = 256, .block_k = 64},
         {.form = MatmulForm::exact, .block_k = 64},
         {.form = MatmulForm::wrap},
         {.form = MatmulForm::wrap, .block_m = 128, .block_n = 256, .block_k = 64},
         {.form = MatmulForm::wrap, .block_k = 64},
         {.form = MatmulForm::wrap, .block_m = 64, .block_n = 64, .block_k = 64, .launch = {.num_warps = 4}},
         {.form = MatmulForm::mask, .block_k = 64},
         {.form = MatmulForm::exact, .launch = {.num_warps = 4, .num_stages = 4}},
         {.form = MatmulForm::exact, .block_m = 256, .block_k = 64},
         {.form = MatmulForm::exact, .block_m = 256},
         {.form = MatmulForm::mask, .launch = {.num_warps = 4}},
         {.form = MatmulForm::mask, .launch = {.num_warps = 4, .num_stages = 4}},
         {.form = MatmulForm::mask, .block_m = 256, .block_k = 64},
         {.form = MatmulForm::mask, .block_n = 256, .block_k = 64},
         {.form = MatmulForm::mask, .block_m = 256},
         {.form = MatmulForm::mask, .block_n = 64, .block_k = 64, .launch = {.num_warps = 4}},
         {.form = MatmulForm::mask, .block_m = 64, .block_k = 64, .launch = {.num_warps = 4}},
         {.form = MatmulForm::mask, .block_m = 64, .block_n = 64, .block_k = 64, .launch = {.num_warps = 4}},
         // For matrix units that read shared memory: there are 227 KiB, and the products are asynchronous.
         {.form = MatmulForm::wrap,
          .block_m = 128,
          .block_n = 256,
          .block_k = 64,
          .launch = {.num_warps = 8, .num_stages = 4}},
         {.form = MatmulForm::mask,
          .block_m = 128,
          .block_n = 256,
          .block_k = 64,
          .launch = {.num_warps = 8, .num_stages = 4}},
         {.form = MatmulForm::mask,
          .block_m = 64,
          .block_n = 256,
          .block_k = 64,
          .launch = {.num_warps = 4, .num_stages = 4}},
         {.form = MatmulForm::mask,
          .block_m = 64,
          .block_n = 128,
          .block_k = 64,
          .launch = {.num_warps = 4, .num_stages = 4}},
         // For few tiles: each multiprocessor has one, and should have as many copies in flight as possible.
         {.form = MatmulForm::mask,
          .block_m = 128,
          .block_n = 128,
          .block_k = 64,
          .launch = {.num_warps = 8, .num_stages = 6}},
         {.form = MatmulForm::mask,
          .block_m = 64,
          .block_n = 128,
          .block_k = 64,
          .launch = {.num_warps = 4, .num_stages = 8}},
         {.form = MatmulForm::mask,
          .block_m = 64,
          .block_n = 64,
          .block_k = 128,
          .launch = {.num_warps = 4, .num_stages = 6}},
         {.form = MatmulForm::mask,
          .block_m = 64,
          .block_n = 32,
          .block_k = 128,
          .launch = {.num_warps = 4, .num_stages = 8}},
         {.form = MatmulForm::mask,
          .block_m = 32,
          .block_n = 64,
          .block_k = 128,
          .launch = {.num_warps = 4, .num_stages = 4}}},
    .key = [](auto, auto, auto, int m, int n, int k,
              auto...) { return Key{detail::size_bucket(m), detail::divisor_class(m), n, k}; },
    .keep =
        [](auto &cfg, auto, auto, auto, int m, int n, int k, auto...) {
          if (cfg.form == MatmulForm::exact)
            return m % cfg.block_m == 0 && n % cfg.block_n == 0 && k % cfg.block_k == 0;
          return cfg.form == MatmulForm::wrap ||
                 cdiv(n, cfg.block_n) <= 65535;   // the limit of a second axis
        },
    .work = [](auto, auto, auto, int m, int n, int k, auto...) { return detail::work_of_product(m, n, k); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, int m, int n, int k, auto...) {
          // Masks cost less than wrapping loses.
          // Copies without masks arrive all at once and disturb products that read shared memory.
          const double exact = machine.capability == 90 ? 1.1 : 1.005;
          const double form = cfg.form == MatmulForm::wrap ? 1.02 : cfg.form == MatmulForm::exact ? exact : 1;
          const detail::Product product{.m = detail::size_bucket(m),
                                        .n = n,
                                        .k = k,
                                        .in_bytes = sizeof(In),
                                        .out_bytes = sizeof(Out),
                                        .is_exact = detail::is_exact_product<In, Products>};
          return form * detail::product_seconds(machine, product,
                                                {.block_m = cfg.block_m,
                                                 .block_n = cfg.block_n,
                                                 .block_k = cfg.block_k,
                                                 .launch = cfg.launch,
                                                 .is_described = false});
        },
    .tunes = Tunes::when_asked,
    .shipped_tunings = detail::shipped_tunings};

struct MatmulOptions {
  Precision precision = Precision::tf32;   // of products of f32
  std::optional<MatmulConfig> config;      // none: the kernel chooses
  Numerics numerics = Numerics::any;       // without a config: what decides the bits of a result
};

// Computes c = activation(a * b), rounded to c's element type.
template <auto Activation = no_activation, class A, class B, class C>
void matmul(OnDevice on, const MatrixView<A> &a, const MatrixView<B> &b, const MatrixView<C> &c,
            const MatmulOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b must have the same element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements must not be const");
  const detail::Operands operands("matmul", on.where);
  operands.product(detail::extents(a), detail::extents(b), detail::extents(c));
  const int m = operands.extent("m", a.rows), n = operands.extent("n", b.cols),
            k = operands.extent("k", a.cols);
  operands.output("c", detail::placed(c));
  operands.apart("c", detail::placed(c), "a", detail::placed(a));
  operands.apart("c", detail::placed(c), "b", detail::placed(b));
  if (options.config) {
    const MatmulConfig &config = *options.config;
    operands.tiles(config);
    if (config.form == MatmulForm::exact &&
        (m % config.block_m != 0 || n % config.block_n != 0 || k % config.block_k != 0))
      operands.refuse("options.config: the form `exact` has no masks, so its blocks must divide m, n and k",
                      "use the form `wrap` or `mask`, which take any sizes");
  }
  auto run = [&](const auto &kernel) {
    kernel.launch_with(options.config, on, a, b, c, m, n, k, a.row_stride, a.col_stride, b.row_stride,
                       b.col_stride, c.row_stride, c.col_stride);
  };
  if constexpr (std::is_same_v<In, f32>) {
    if (options.precision == Precision::ieee)
      return run(detail::with_numerics<matmul_kernel<In, C, Activation, Precision::ieee>>(options.numerics));
    if (options.precision != Precision::tf32)
      operands.refuse("products of f32 need tf32 or ieee precision", "gemm() has bf16x3 and bf16x6, too");
  }
  run(detail::with_numerics<matmul_kernel<In, C, Activation>>(options.numerics));
}

}   // namespace tile::kernels
