// SPDX-License-Identifier: MIT
// The part of the batched GEMM that does not depend on element types: which stacks go together, and the
// configs worth trying.
#include "kernels/batched_gemm.h"

#include <fmt/format.h>

#include <bit>

namespace tile::kernels::detail {

std::vector<GemmConfig> batched_gemm_configs() {
  std::vector<GemmConfig> configs;
  for (GemmConfig cfg : gemm_configs())
    // Keys say which powers of two divide the rows (divisor_class), and no more.
    if (cfg.store_by_descriptor && cfg.split_k == 1 &&
        std::has_single_bit(static_cast<unsigned>(cfg.block_m))) {
      configs.push_back(cfg);
      cfg.store_by_descriptor = false;
      if (cfg.launch.num_ctas == 1)
        configs.push_back(cfg);
    }
  return configs;
}

bool describes_result(const GemmConfig &cfg, int m, std::int64_t rows_as_one) {
  return rows_as_one != 0 && m % cfg.block_m == 0;
}

void check_batch(const Operands &operands, const Stack &a, const Stack &b, const Stack &c) {
  const Placed one_a = a.member(0), one_b = b.member(0), one_c = c.member(0);
  operands.product(one_a.shape, one_b.shape, one_c.shape);
  for (const auto &[name, stack] : {std::pair{"b", &b}, {"c", &c}})
    if (stack->extents[0] != a.extents[0])
      operands.refuse(fmt::format("{} {} must have as many matrices as a {}", name, text(*stack), text(a)),
                      "if all products share a matrix, give the view a stride of 0 between matrices");
  operands.output("c", c);
  operands.apart("c", c, "a", a);
  operands.apart("c", c, "b", b);
}

}   // namespace tile::kernels::detail
