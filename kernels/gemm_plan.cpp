// SPDX-License-Identifier: MIT
#include "kernels/gemm_plan.h"

#include "kernels/size_bucket.h"

namespace tile::kernels::detail {

std::vector<std::int64_t> rows_to_prepare(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> rows;
  for (std::int64_t m = std::max<std::int64_t>(least, 1); m <= most; m = row_bucket(m) + 1) {
    const std::int64_t last = std::min(row_bucket(m), most);
    rows.push_back(last % 16 == 0 && last > m ? last - 1 : last);
  }
  return rows;
}

}   // namespace tile::kernels::detail
