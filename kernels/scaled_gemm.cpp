// SPDX-License-Identifier: MIT
// The part of scaled products that does not depend on element types: which scales fit, and the configs.
#include "kernels/scaled_gemm.h"

#include <algorithm>
#include <string>

namespace tile::kernels::detail {

std::vector<GemmConfig> scaled_gemm_configs(ScaledBy form) {
  // The second one is for GPUs with little shared memory.
  std::vector<GemmConfig> configs{
      {.block_m = 128, .block_n = 128, .block_k = 128, .launch = {.num_warps = 8, .num_stages = 4}},
      {.block_m = 32, .block_n = 64, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 4}},
      {.block_m = 64, .block_n = 128, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 6}},
      {.block_m = 64, .block_n = 64, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 8}},
      {.block_m = 64, .block_n = 32, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 8}},
      {.block_m = 256,
       .block_n = 128,
       .block_k = 128,
       .launch = {.num_warps = 8, .num_stages = 4, .num_ctas = 2}}};
  if (form == ScaledBy::lines) {
    configs.push_back(
        {.block_m = 128, .block_n = 256, .block_k = 128, .launch = {.num_warps = 8, .num_stages = 4}});
    configs.push_back({.block_m = 128,
                       .block_n = 128,
                       .block_k = 128,
                       .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}});
  }
  return configs;
}

static std::string text(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

ScaledBy check_scales(const Operands &operands, Extents a, Extents b, const Scales &scales) {
  const auto blocks = [](std::int64_t extent) { return cdiv(extent, std::int64_t{Scales::block}); };
  const auto has = [](const MatrixView<const f32> &view, std::int64_t rows, std::int64_t cols) {
    return view.rows == rows && view.cols == cols;
  };
  if (has(scales.a, a.rows, 1) && has(scales.b, 1, b.cols))
    return ScaledBy::lines;
  if (has(scales.a, a.rows, blocks(a.cols)) && has(scales.b, blocks(b.rows), blocks(b.cols)))
    return ScaledBy::blocks;
  operands.refuse("the scales of a are " + text(scales.a.rows, scales.a.cols) + " and those of b " +
                      text(scales.b.rows, scales.b.cols) + ", which fits no product of " +
                      text(a.rows, a.cols) + " by " + text(b.rows, b.cols),
                  "scales by blocks are " + text(a.rows, blocks(a.cols)) + " and " +
                      text(blocks(b.rows), blocks(b.cols)) + ", scales by lines " + text(a.rows, 1) +
                      " and " + text(1, b.cols));
}

void check_along_k(const Operands &operands, const char *name, bool is_left, const Placed &factor) {
  const std::int64_t across = is_left ? factor.row_stride : factor.col_stride,
                     along = is_left ? factor.col_stride : factor.row_stride;
  const auto address = reinterpret_cast<std::uintptr_t>(factor.data);
  if (const char *objection =
          along != 1 ? "K does not run along its contiguous lines"
                     : descriptor_objection(StoredBy::rows, address, across, along, factor.element_bytes))
    operands.refuse(std::string(name) + " does not fit: " + objection,
                    is_left ? "store a by rows, each of a multiple of 16 bytes"
                            : "store b by columns, each of a multiple of 16 bytes");
}

}   // namespace tile::kernels::detail
