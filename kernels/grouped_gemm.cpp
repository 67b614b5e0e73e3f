// SPDX-License-Identifier: MIT
// The part of the grouped GEMM that does not depend on element types: the configs worth trying, and which
// lists of problems are alike.
#include "kernels/grouped_gemm.h"

#include "kernels/size_bucket.h"

#include <bit>

namespace tile::kernels::detail {

std::vector<GroupedGemmConfig> grouped_gemm_configs(int alignment, bool alike) {
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
          GroupedGemmConfig{
              .block_m = 128, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
          GroupedGemmConfig{
              .block_m = 64, .block_n = 256, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
          GroupedGemmConfig{.block_m = 64, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 6}},
          GroupedGemmConfig{.block_m = 64, .block_n = 256, .launch = {.num_warps = 4, .num_stages = 4}}})
      configs.push_back(cfg);
  // Without maps to be made, registers and shared memory suffice for more.
  if (alike)
    for (GroupedGemmConfig cfg :
         {GroupedGemmConfig{
              .block_m = 128, .block_n = 160, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
          GroupedGemmConfig{
              .block_m = 128, .block_n = 192, .launch = {.num_warps = 4, .num_stages = 4, .ping_pong = true}},
          GroupedGemmConfig{.block_m = 64, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 8}},
          GroupedGemmConfig{
              .block_m = 64, .block_n = 64, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 6}}})
      configs.push_back(cfg);
  for (GroupedGemmConfig &config : configs) {
    config.alignment = alignment;
    config.alike = alike;
  }
  return configs;
}

// Above 64 a bucket ends at 4, 5, 6 or 7 times a power of two; below at a multiple of 16. Means of 8 rows and
// less need no class of their own.
static std::int64_t number_of(std::int64_t size) {
  const std::int64_t end = size_bucket(size);
  if (end <= 64)
    return (end + 15) / 16;
  const int power = std::bit_width(static_cast<std::uint64_t>(end)) - 3;
  return 4 * power + (end >> power) - 4;
}
static std::int64_t bucket_of(std::int64_t number) {
  return number <= 4 ? number * 16 : (number % 4 + 4) << number / 4;
}

std::int64_t size_class(std::int64_t mean_m, std::int64_t largest_n, std::int64_t largest_k, bool is_uneven) {
  return ((is_uneven * 1000 + number_of(mean_m)) * 1000 + number_of(largest_n)) * 1000 + number_of(largest_k);
}

const AlikeProblems AlikeProblems::none;

std::optional<AlikeProblems> alike(const std::vector<i32> &sizes, const std::vector<i64> &leading) {
  AlikeProblems all;
  std::array<std::optional<i64>, 3> rows;   // of a, b and c
  for (std::size_t g = 0; g < sizes.size(); g += 3) {
    const int m = sizes[g], n = sizes[g + 1], k = sizes[g + 2];
    if (g > 0 && (n != all.n || k != all.k))
      return {};
    all.n = n;
    all.k = k;
    const int counts[] = {m, k, m};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (counts[i] > 1 && rows[i].value_or(leading[g + i]) != leading[g + i])
        return {};
      else if (counts[i] > 1)
        rows[i] = leading[g + i];
  }
  if (sizes.empty())
    return {};
  all.a_row = rows[0].value_or(leading[0]);
  all.b_row = rows[1].value_or(leading[1]);
  all.c_row = rows[2].value_or(leading[2]);
  return all;
}

Product product_of_class(std::int64_t size_class) {
  return {.m = bucket_of(size_class / 1000000 % 1000),
          .n = bucket_of(size_class / 1000 % 1000),
          .k = bucket_of(size_class % 1000),
          .is_uneven = size_class >= 1000000000};
}

}   // namespace tile::kernels::detail
