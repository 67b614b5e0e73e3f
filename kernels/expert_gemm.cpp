// SPDX-License-Identifier: MIT
// The part of the products of experts that does not depend on element types: the configs worth trying.
#include "kernels/expert_gemm.h"

#include "kernels/grouped_gemm.h"
#include "kernels/size_bucket.h"

namespace tile::kernels::detail {

// The tiles of grouped products.
std::vector<ExpertGemmConfig> expert_gemm_configs() {
  std::vector<ExpertGemmConfig> configs;
  for (StoredBy b : {StoredBy::rows, StoredBy::columns})
    for (bool describes : {true, false})
      for (const GroupedGemmConfig &tile : grouped_gemm_configs(describes ? 16 : 1, describes))
        configs.push_back({.b = b,
                           .block_m = tile.block_m,
                           .block_n = tile.block_n,
                           .block_k = tile.block_k,
                           .group_m = tile.group_m,
                           .programs = tile.programs,
                           .describes = describes,
                           .launch = tile.launch});
  return configs;
}

std::int64_t rows_of_expert(int rows, int experts) {
  return row_bucket(experts > 0 ? cdiv(rows, experts) : rows);
}

}   // namespace tile::kernels::detail
