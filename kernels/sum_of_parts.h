// SPDX-License-Identifier: MIT
// C = activation(P[0] + P[1] + ...): the last step of a product with split_k, in which several programs each
// summed a part of K. The order of the additions is always the same.
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>

#include <cstdint>

namespace tile::kernels {

struct SumOfPartsConfig {
  int parts = 2;
  int block_m = 4, block_n = 256;
  Launch launch{.num_warps = 4};
};

// `apart`: elements from one part to the next.
template <class Sum, class Out, auto Activation>
void sum_of_parts_program(Ptr<const Sum> parts, Ptr<Out> c, Int m, Int n, Int64 apart, Int64 part_row,
                          Int64 c_row, Int64 c_col, const SumOfPartsConfig &cfg) {
  const int BM = cfg.block_m, BN = cfg.block_n;
  Int cols = cdiv(n, BN);
  auto i = program_id(0) / cols * BM + arange(0, BM), j = program_id(0) % cols * BN + arange(0, BN);
  auto within = (i(all, none) < m) & (j(none, all) < n);
  auto at = parts + (cast<i64>(i)(all, none) * part_row + cast<i64>(j)(none, all));
  auto sum = load(at, within);
  for (int part = 1; part < cfg.parts; ++part)
    sum = sum + load(at + apart * part, within);
  store(c + (cast<i64>(i)(all, none) * c_row + cast<i64>(j)(none, all) * c_col),
        cast<Out>(detail::activate<Activation>(sum)), within);
}

template <class Sum, class Out, auto Activation>
inline const Kernel<&sum_of_parts_program<Sum, Out, Activation>> sum_of_parts_kernel{
    .name = "sum_of_parts",
    .parameters = {"parts", "c", "m", "n", "apart", "part_row", "c_row", "c_col"},
    .grid = [](auto &cfg, auto, auto, int m, int n, auto...) {
      return Grid{std::int64_t{cdiv(m, cfg.block_m)} * cdiv(n, cfg.block_n)};
    }};

}   // namespace tile::kernels
