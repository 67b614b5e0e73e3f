// SPDX-License-Identifier: MIT
// The part of products of terms that does not depend on the result: the terms of a factor, the configs and
// their expected time.
#include "kernels/gemm_of_terms.h"

#include <algorithm>

namespace tile::kernels::detail {

// How a factor is divided among programs. Lines are its contiguous ones: rows, or columns.
struct FactorTerms::Layout {
  bool by_rows, lines_along_k;
  int lines, along;
  TermsConfig config;

  Layout(OnDevice on, const MatrixView<const f32> &view, bool k_along_rows, int terms)
      : by_rows(view.col_stride == 1 || view.row_stride != 1), lines_along_k(by_rows == k_along_rows) {
    const Operands operands("gemm", on.where);
    const int rows = operands.extent("the number of rows", view.rows),
              cols = operands.extent("the number of columns", view.cols);
    lines = by_rows ? rows : cols;
    along = by_rows ? cols : rows;
    config = TermsConfig::of(terms, lines_along_k);
  }
  std::int64_t line() const { return (std::int64_t{along} + 63) / 64 * 64; }   // elements of a line of terms
  std::int64_t plane() const { return std::max<std::int64_t>(lines, 1) * line(); }
  int lines_of_marks() const { return lines_along_k ? lines : along; }
  int mark_blocks() const {
    return lines_along_k ? cdiv(along, config.block_along) : cdiv(lines, config.block_lines);
  }
};

FactorTerms::FactorTerms(OnDevice on, const MatrixView<const f32> &view, bool k_along_rows, int terms)
    : FactorTerms(on, view, terms, Layout(on, view, k_along_rows, terms)) {}

FactorTerms::FactorTerms(OnDevice on, const MatrixView<const f32> &view, int terms, const Layout &layout)
    : view_(view), by_rows_(layout.by_rows), line_(layout.line()), plane_(layout.plane()),
      mark_blocks_(layout.mark_blocks()), planes_(on.device, static_cast<std::size_t>(terms * plane_)),
      marks_(on.device, static_cast<std::size_t>(std::max(1, mark_blocks_)) *
                            static_cast<std::size_t>(std::max(1, layout.lines_of_marks()))) {
  bf16_terms_kernel.launch_with(layout.config, on, view, planes_.data(), marks_.data(), layout.lines,
                                layout.along, by_rows_ ? view.row_stride : view.col_stride,
                                by_rows_ ? view.col_stride : view.row_stride, plane_, line_,
                                std::int64_t{layout.lines_of_marks()});
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
double gemm_of_terms_seconds(const Machine &machine, const GemmConfig &cfg, Product product, int terms,
                             int products) {
  product.m = row_bucket(product.m);
  product.k *= products;
  product.a_along_k = cfg.a == StoredBy::rows;
  product.b_along_k = cfg.b == StoredBy::columns;
  Launch launch = cfg.launch;
  launch.num_stages *= terms;
  return product_seconds(machine, product,
                         {.block_m = cfg.block_m,
                          .block_n = cfg.block_n,
                          .block_k = cfg.block_k,
                          .launch = launch,
                          .split_k = cfg.split_k,
                          .stores_described = cfg.store_by_descriptor});
}

}   // namespace tile::kernels::detail
