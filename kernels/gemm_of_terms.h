// SPDX-License-Identifier: MIT
// C = activation(A * B) for matrices of f32, on matrix units that multiply bf16. Each number is a sum of bf16
// terms (bf16_terms.h), and the products of terms that count are added:
//
//   (a0 + a1 + a2) (b0 + b1 + b2)  ~  a1 b1 + a2 b0 + a0 b2 + a1 b0 + a0 b1 + a0 b0     Precision::bf16x6
//   (a0 + a1) (b0 + b1)            ~  a1 b0 + a0 b1 + a0 b0                             Precision::bf16x3
//
// What bf16x6 leaves out is below the last digit of f32. Matrix units cut digits off when they add, so a sum
// over all of K would lose more than f32 does. Here a product covers one block of K, and threads add these
// sums with rounding. The errors on an H200 are a sixth of those of f32 arithmetic.
//
// Three launches: terms of A, terms of B, the product.
#pragma once

#include <tile/activation.h>
#include <tile/bf16_terms.h>
#include <tile/dsl.h>
#include <tile/gemm_factors.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>
#include <tile/workspace.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tile::kernels {

namespace detail {
// Which term of A is multiplied by which of B, the smallest products first.
template <Precision Products> constexpr auto products_of_terms() {
  using Pair = std::pair<int, int>;
  if constexpr (Products == Precision::bf16x6)
    return std::array{Pair{1, 1}, Pair{2, 0}, Pair{0, 2}, Pair{1, 0}, Pair{0, 1}, Pair{0, 0}};
  else
    return std::array{Pair{1, 0}, Pair{0, 1}, Pair{0, 0}};
}
template <Precision Products>
inline constexpr bool is_product_of_terms = Products == Precision::bf16x3 || Products == Precision::bf16x6;
template <Precision Products> inline constexpr int terms_of = Products == Precision::bf16x6 ? 3 : 2;
}   // namespace detail

// `a_plane`: elements from a term of each element of A to the next term.
template <class Out, auto Activation, Precision Products>
void gemm_of_terms_program(Ptr<const bf16> a, Ptr<const bf16> b, Ptr<Out> c, Int m, Int n, Int k,
                           Int64 a_plane, Int64 a_row, Int64 a_col, Int64 b_plane, Int64 b_row, Int64 b_col,
                           Int64 c_row, Int64 c_col, Ptr<f32> parts, Dynamic<Int> parts_rows, Int64 parts_row,
                           const GemmConfig &cfg) {
  constexpr int terms = detail::terms_of<Products>;
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  Int rows = cdiv(m, BM), cols = cdiv(n, BN), blocks = cdiv(k, BK);
  Int part = cfg.split_k > 1 ? program_id(0) / (rows * cols) : Int(0);
  Int program = cfg.split_k > 1 ? program_id(0) % (rows * cols) : program_id(0);
  Int each = cdiv(blocks, cfg.split_k), begin = part * each;   // the blocks of a part of K
  const auto [tile_m, tile_n] = swizzle2d(program / cols, program % cols, rows, cols, cfg.group_m);
  Int from_m = tile_m * BM, from_n = tile_n * BN;
  auto term_of_a = [&](int t) {
    return detail::Factor<bf16>{a, m, k, a_row, a_col, cfg.a, detail::Member{Int(t), Int(terms), a_plane}};
  };
  auto term_of_b = [&](int t) {
    return detail::Factor<bf16>{b, k, n, b_row, b_col, cfg.b, detail::Member{Int(t), Int(terms), b_plane}};
  };
  auto A = term_of_a(0).blocks(BM, BK);
  auto B = term_of_b(0).blocks(BK, BN);

  auto sum = zeros<f32>({BM, BN});
  for (auto block : range(begin, minimum(begin + each, blocks))) {
    std::vector<Tensor<bf16>> x, y;
    for (int t = 0; t < terms; ++t) {
      x.push_back(term_of_a(t).load(A, from_m, block * BK));
      y.push_back(term_of_b(t).load(B, block * BK, from_n));
    }
    auto of_block = zeros<f32>({BM, BN});
    for (const auto &[i, j] : detail::products_of_terms<Products>())
      of_block = dot(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)], of_block);
    sum = sum + of_block;
  }
  if (cfg.split_k > 1) {
    const detail::Result<f32> sums{parts, parts_rows, n, parts_row, 1, part * (rows * BM)};
    return sums.store(cfg.store_by_descriptor, from_m, from_n, sum);
  }
  const detail::Result<Out> result{c, m, n, c_row, c_col};
  result.store(cfg.store_by_descriptor, from_m, from_n, cast<Out>(detail::activate<Activation>(sum)));
}

namespace detail {
std::vector<GemmConfig> gemm_of_terms_configs();

double gemm_of_terms_seconds(const Machine &machine, GemmConfig cfg, Product product, int terms,
                             int products);
}   // namespace detail

template <class Out, auto Activation, Precision Products>
inline const Kernel<&gemm_of_terms_program<Out, Activation, Products>> gemm_of_terms_kernel{
    .name = "gemm_of_terms",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_plane", "a_row", "a_col", "b_plane", "b_row", "b_col",
                   "c_row", "c_col", "parts", "parts_rows", "parts_row"},
    .grid =
        [](auto &cfg, auto, auto, auto, int m, int n, auto...) {
          return Grid{std::int64_t{cdiv(m, cfg.block_m)} * cdiv(n, cfg.block_n) * cfg.split_k};
        },
    .configs = detail::gemm_of_terms_configs(),
    .complete =
        [](auto cfg, auto, auto, auto c, int, int, int, std::int64_t, std::int64_t, std::int64_t a_col,
           std::int64_t, std::int64_t, std::int64_t b_col, std::int64_t c_row, std::int64_t c_col, auto...) {
          cfg.a = a_col == 1 ? StoredBy::rows : StoredBy::columns;
          cfg.b = b_col == 1 ? StoredBy::rows : StoredBy::columns;
          cfg.store_by_descriptor = cfg.store_by_descriptor && detail::fits_descriptor(c, c_row, c_col);
          return cfg;
        },
    .key =
        [](auto, auto, auto c, int m, int n, int k, std::int64_t, std::int64_t, std::int64_t a_col,
           std::int64_t, std::int64_t, std::int64_t b_col, std::int64_t c_row, std::int64_t c_col, auto...) {
          return Key{
              detail::row_bucket(m), n, k, a_col == 1, b_col == 1, detail::fits_descriptor(c, c_row, c_col)};
        },
    .keep = [](auto &cfg, auto, auto, auto, int m, int n, int k,
               auto...) { return detail::is_worth_split_k(cfg, {.m = m, .n = n, .k = k}); },
    .work = [](auto, auto, auto, int m, int n, int k, auto...) { return detail::work_of_product(m, n, k); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, int m, int n, int k, auto...) {
          return detail::gemm_of_terms_seconds(
              machine, cfg, {.m = m, .n = n, .k = k, .in_bytes = 2, .out_bytes = sizeof(Out)},
              detail::terms_of<Products>, static_cast<int>(detail::products_of_terms<Products>().size()));
        },
    .tunes = Tunes::when_asked,
    .around =
        [](auto &cfg, OnDevice on, auto &launch, auto a, auto b, auto c, int m, int n, int k,
           std::int64_t a_plane, std::int64_t a_row, std::int64_t a_col, std::int64_t b_plane,
           std::int64_t b_row, std::int64_t b_col, std::int64_t c_row, std::int64_t c_col, auto, int,
           std::int64_t) {
          detail::with_parts_of_k<f32, Activation>(on, cfg, c, m, n, c_row, c_col,
                                                   [&](f32 *parts, int rows, std::int64_t row) {
                                                     launch(a, b, c, m, n, k, a_plane, a_row, a_col, b_plane,
                                                            b_row, b_col, c_row, c_col, parts, rows, row);
                                                   });
        }};

namespace detail {

// The terms of one factor, written by a launch of bf16_terms into memory of their own.
class FactorTerms {
 public:
  FactorTerms(OnDevice on, const MatrixView<const f32> &view, int terms);

  MatrixView<const bf16> first() const;           // as the view, with strides that descriptors take
  std::int64_t plane() const { return plane_; }   // elements from a term of each element to the next one

 private:
  MatrixView<const f32> view_;
  bool by_rows_;   // lines, the contiguous ones, are rows; or else columns
  int lines_, along_;
  std::int64_t line_, plane_;
  Workspace<bf16> planes_;
};

// The blocks of K decide where sums are rounded.
struct BlocksInOrder {
  bool operator()(const GemmConfig &cfg) const { return cfg.block_k == 32 && sums_in_order(cfg); }
};

// What gemm() does for f32 with these precisions. The operands are checked, and c is stored by rows.
template <auto Activation, Precision Products, class C>
void gemm_of_terms(OnDevice on, const MatrixView<const f32> &a, const MatrixView<const f32> &b,
                   const MatrixView<C> &c, const std::optional<GemmConfig> &config, Numerics numerics) {
  const FactorTerms x(on, a, terms_of<Products>), y(on, b, terms_of<Products>);
  const MatrixView<const bf16> left = x.first(), right = y.first();
  const int m = static_cast<int>(a.rows), n = static_cast<int>(b.cols), k = static_cast<int>(a.cols);
  with_numerics<gemm_of_terms_kernel<C, Activation, Products>, BlocksInOrder>(numerics).launch_with(
      config, on, left, right, c, m, n, k, x.plane(), left.row_stride, left.col_stride, y.plane(),
      right.row_stride, right.col_stride, c.row_stride, c.col_stride, nullptr, 0, parts_row(n));
}

}   // namespace detail
}   // namespace tile::kernels
