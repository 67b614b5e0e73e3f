// SPDX-License-Identifier: MIT
// C = activation(A * B) with tensor descriptors: blocks are copied by coordinates, without pointer
// tiles and masks. What lies past an edge reads as 0 and is not written. Each operand may be stored by rows
// or by columns, which is what N and T mean in NN, NT, TN and TT.
#pragma once

#include "tile/activation.h"
#include "tile/dsl.h"
#include "tile/matmul.h"
#include "tile/operands.h"
#include "tile/tensor_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tile::kernels {

// How an operand lies in memory: row after row, or column after column.
enum class StoredBy { rows, columns };

struct GemmConfig {
  StoredBy a = StoredBy::rows, b = StoredBy::rows;
  int block_m = 128, block_n = 128, block_k = 64;
  int group = 8;                 // rows of tiles that are worked on together
  bool describe_result = true;   // or store it through pointers: for a C that no descriptor fits
  Launch launch{.num_warps = 8};
};

template <class In, class Out, auto Activation, Precision Products>
void gemm_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, Int m, Int n, Int k, Int64 a_row, Int64 a_col,
                  Int64 b_row, Int64 b_col, Int64 c_row, Int64 c_col, const GemmConfig &cfg) {
  const auto [a_by, b_by, BM, BN, BK, group, describe_result, launch] = cfg;
  const bool a_rows = a_by == StoredBy::rows, b_rows = b_by == StoredBy::rows;
  Int rows = cdiv(m, BM), cols = cdiv(n, BN), program = program_id(0);
  const auto [tile_m, tile_n] = swizzle2d(program / cols, program % cols, rows, cols, group);
  Int from_m = tile_m * BM, from_n = tile_n * BN;

  // A matrix stored by columns is described as its transpose, which is stored by rows.
  auto A = a_rows ? descriptor(a, {m, k}, {a_row, 1}, {BM, BK}) : descriptor(a, {k, m}, {a_col, 1}, {BK, BM});
  auto B = b_rows ? descriptor(b, {k, n}, {b_row, 1}, {BK, BN}) : descriptor(b, {n, k}, {b_col, 1}, {BN, BK});
  auto acc = zeros<Accumulator<In>>({BM, BN});
  for (auto i : range(0, cdiv(k, BK))) {
    Int from_k = i * BK;
    auto x = a_rows ? A.load({from_m, from_k}) : trans(A.load({from_k, from_m}));
    auto y = b_rows ? B.load({from_k, from_n}) : trans(B.load({from_n, from_k}));
    acc = dot(x, y, acc, DotOptions{.precision = Products});
  }

  auto result = cast<Out>(detail::activate<Activation>(acc));
  if (describe_result) {
    descriptor(c, {m, n}, {c_row, 1}, {BM, BN}).store({from_m, from_n}, result);
  } else {
    auto rm = from_m + arange(0, BM), rn = from_n + arange(0, BN);
    auto pc = c + (cast<i64>(rm)(all, none) * c_row + cast<i64>(rn)(none, all) * c_col);
    store(pc, result, (rm(all, none) < m) & (rn(none, all) < n));
  }
}

namespace detail {
// The rules of a descriptor for a matrix stored by rows (StoredBy::rows) or by columns, as the kernel
// receives it: null where they hold, else the sentence about the one that does not.
const char *descriptor_objection(StoredBy order, std::uint64_t address, std::int64_t row_stride,
                                 std::int64_t col_stride, int element_bytes);
template <class T> bool fits_descriptor(T *result, std::int64_t row_stride, std::int64_t col_stride) {
  return !descriptor_objection(StoredBy::rows, reinterpret_cast<std::uintptr_t>(result), row_stride,
                               col_stride, sizeof(T));
}
// Every way to store the operands, with each tile that is worth trying.
std::vector<GemmConfig> gemm_configs();
bool keep_gemm_config(const GemmConfig &cfg, bool a_by_rows, bool b_by_rows, bool c_fits_descriptor);
}   // namespace detail

template <class In, class Out = In, auto Activation = no_activation, Precision Products = Precision::tf32>
inline const Kernel<&gemm_program<In, Out, Activation, Products>> gemm_kernel{
    .name = "gemm",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "c_row", "c_col"},
    .grid = [](auto &cfg, auto, auto, auto, int m, int n,
               auto...) { return Grid{std::int64_t{cdiv(m, cfg.block_m)} * cdiv(n, cfg.block_n)}; },
    .configs = detail::gemm_configs(),
    .key =
        [](auto, auto, auto c, int m, int n, int k, std::int64_t, std::int64_t a_col, std::int64_t,
           std::int64_t b_col, std::int64_t c_row, std::int64_t c_col) {
          return Key{m, n, k, a_col == 1, b_col == 1, detail::fits_descriptor(c, c_row, c_col)};
        },
    .keep =
        [](auto &cfg, auto, auto, auto c, int, int, int, std::int64_t, std::int64_t a_col, std::int64_t,
           std::int64_t b_col, std::int64_t c_row, std::int64_t c_col) {
          return detail::keep_gemm_config(cfg, a_col == 1, b_col == 1,
                                          detail::fits_descriptor(c, c_row, c_col));
        },
    .work = [](auto, auto, auto, int m, int n, int k, auto...) { return detail::work_of_product(m, n, k); }};

struct GemmOptions {
  Precision precision = Precision::tf32;   // of products of f32
  std::optional<GemmConfig> config;        // none: tuned; the orders are the operands' in any case
  // What happens to operands that descriptors cannot describe: matmul() multiplies them, or they are an
  // error.
  bool fall_back = true;
};

namespace detail {
// An operand that is at most one row or one column may have any stride across; give it one that descriptors
// take.
template <class T> MatrixView<T> with_describable_strides(MatrixView<T> view) {
  constexpr std::int64_t step = 16 / sizeof(T);
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
}   // namespace detail

// c = activation(a * b), rounded to c's element type. The activation works element by element.
template <auto Activation = no_activation, class A, class B, class C>
void gemm(OnDevice on, const MatrixView<A> &a_view, const MatrixView<B> &b_view, const MatrixView<C> &c_view,
          const GemmOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b have one element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements are not const");
  const detail::Operands operands("gemm", on.where);
  operands.product(detail::extents(a_view), detail::extents(b_view), detail::extents(c_view));
  operands.output("c", detail::placed(c_view));
  operands.apart("c", detail::placed(c_view), "a", detail::placed(a_view));
  operands.apart("c", detail::placed(c_view), "b", detail::placed(b_view));
  if (options.config)
    operands.tiles(*options.config);
  // A result that is stored by columns: the transposed product is stored by rows.
  if (c_view.col_stride != 1 && c_view.row_stride == 1 && c_view.cols > 1)
    return gemm<Activation>(on, b_view.transposed(), a_view.transposed(), c_view.transposed(), options);

  const auto a = detail::with_describable_strides(a_view);
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
    return matmul<Activation>(on, a, b, c, {.precision = options.precision});
  }

  const int m = operands.extent("m", a.rows), n = operands.extent("n", b.cols),
            k = operands.extent("k", a.cols);
  auto run = [&](const auto &kernel) {
    kernel(on, a, b, c, m, n, k, a.row_stride, a.col_stride, b.row_stride, b.col_stride, c.row_stride,
           c.col_stride);
  };
  auto choose = [&](const auto &kernel) {
    if (!options.config)
      return run(kernel);
    GemmConfig config = *options.config;
    config.a = order_a;
    config.b = order_b;
    config.describe_result = config.describe_result && !objection(StoredBy::rows, c);
    run(kernel.with(config));
  };
  if constexpr (std::is_same_v<In, f32>) {
    if (options.precision == Precision::ieee)
      return choose(gemm_kernel<In, C, Activation, Precision::ieee>);
    if (options.precision != Precision::tf32)
      operands.refuse("products of f32 are made with tf32 or ieee precision");
  }
  choose(gemm_kernel<In, C, Activation>);
}

}   // namespace tile::kernels
