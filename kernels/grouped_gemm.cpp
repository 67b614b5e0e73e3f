// SPDX-License-Identifier: MIT
// The part of the grouped GEMM that does not depend on element types: the configs worth trying, and which
// lists of problems are alike.
#include "kernels/grouped_gemm.h"

namespace tile::kernels::detail {

std::vector<GroupedGemmConfig> grouped_gemm_configs(int alignment) {
  std::vector<GroupedGemmConfig> configs{
      {.block_m = 128, .block_n = 128},
      {.block_m = 128, .block_n = 256},
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4}},
      // Two and three programs share a multiprocessor: one computes while the other waits or stores.
      {.block_m = 128, .block_n = 128, .block_k = 32, .programs = 264, .launch = {.num_warps = 4}},
      {.block_m = 128, .block_n = 128, .programs = 264},
      {.block_m = 128, .block_n = 64, .programs = 264, .launch = {.num_warps = 4}},
      {.block_m = 64, .block_n = 128, .programs = 264, .launch = {.num_warps = 4}},
      {.block_m = 64, .block_n = 64, .programs = 396, .launch = {.num_warps = 4}},
      {.block_m = 32, .block_n = 64, .block_k = 128, .programs = 264, .launch = {.num_warps = 4}},
      {.block_m = 256, .block_n = 128}};
  // Where products read shared memory and results are stored by the copy engine, as in gemm.cpp.
  if (alignment == 16)
    for (GroupedGemmConfig cfg :
         {GroupedGemmConfig{.block_m = 128, .block_n = 256, .launch = {.num_warps = 8, .num_stages = 4}},
          GroupedGemmConfig{.block_m = 256, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 4}},
          GroupedGemmConfig{.block_m = 128, .block_n = 192, .launch = {.num_warps = 8, .num_stages = 4}},
          GroupedGemmConfig{.block_m = 128, .block_n = 160, .launch = {.num_warps = 8, .num_stages = 5}},
          GroupedGemmConfig{.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 5}},
          GroupedGemmConfig{.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 6}},
          GroupedGemmConfig{.block_m = 128,
                            .block_n = 128,
                            .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
          GroupedGemmConfig{.block_m = 64,
                            .block_n = 256,
                            .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
          GroupedGemmConfig{.block_m = 64, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 6}},
          GroupedGemmConfig{.block_m = 64, .block_n = 256, .launch = {.num_warps = 4, .num_stages = 4}}})
      configs.push_back(cfg);
  for (GroupedGemmConfig &config : configs)
    config.alignment = alignment;
  return configs;
}

std::int64_t size_class(std::int64_t mean_m, std::int64_t largest_n, std::int64_t largest_k) {
  std::int64_t all = 0;
  for (std::int64_t extent : {mean_m, largest_n, largest_k})
    all = all * 100 + std::bit_width(static_cast<std::uint64_t>(extent));
  return all;
}

}   // namespace tile::kernels::detail
