// SPDX-License-Identifier: MIT
// The part of products of terms that does not depend on the result: the terms of a factor, the configs and
// their expected time.
#include "kernels/gemm_of_terms.h"

#include <algorithm>

namespace tile::kernels::detail {

// Their lines are multiples of 128 bytes.
FactorTerms::FactorTerms(OnDevice on, const MatrixView<const f32> &view, int terms)
    : view_(view), by_rows_(view.col_stride == 1 || view.row_stride != 1),
      lines_(static_cast<int>(by_rows_ ? view.rows : view.cols)),
      along_(static_cast<int>(by_rows_ ? view.cols : view.rows)),
      line_((std::int64_t{along_} + 63) / 64 * 64), plane_(std::max(lines_, 1) * line_),
      planes_(on.device, static_cast<std::size_t>(terms * plane_)) {
  bf16_terms_kernel.launch_with(TermsConfig{.terms = terms}, on, view, planes_.data(), lines_, along_,
                                by_rows_ ? view.row_stride : view.col_stride,
                                by_rows_ ? view.col_stride : view.row_stride, plane_, line_);
}

MatrixView<const bf16> FactorTerms::first() const {
  return {planes_.data(), view_.rows, view_.cols, by_rows_ ? line_ : 1, by_rows_ ? 1 : line_};
}

// Each block of K has all terms of both factors in shared memory, and each thread has two tiles of sums.
std::vector<GemmConfig> gemm_of_terms_configs() {
  std::vector<GemmConfig> configs{
      {.block_m = 128, .block_n = 128, .block_k = 64, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 128, .block_k = 32, .launch = {.num_warps = 8, .num_stages = 4}},
      {.block_m = 128, .block_n = 192, .block_k = 32, .launch = {.num_warps = 8, .num_stages = 3}},
      {.block_m = 64, .block_n = 128, .block_k = 64, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 64, .block_n = 64, .block_k = 64, .launch = {.num_warps = 4, .num_stages = 4}},
      {.block_m = 64, .block_n = 64, .block_k = 32, .launch = {.num_warps = 4, .num_stages = 3}}};
  for (int parts : {2, 4, 8, 16}) {
    configs.push_back({.block_m = 128,
                       .block_n = 128,
                       .block_k = 64,
                       .split_k = parts,
                       .launch = {.num_warps = 8, .num_stages = 2}});
    configs.push_back({.block_m = 64,
                       .block_n = 128,
                       .block_k = 64,
                       .split_k = parts,
                       .launch = {.num_warps = 4, .num_stages = 3}});
  }
  return configs;
}

// As a product of so many terms along K. The terms of one block lie in shared memory at the same time.
double gemm_of_terms_seconds(const Machine &machine, GemmConfig cfg, Product product, int terms,
                             int products) {
  product.k *= products;
  cfg.launch.num_stages *= terms;
  return gemm_seconds(machine, cfg, product);
}

}   // namespace tile::kernels::detail
