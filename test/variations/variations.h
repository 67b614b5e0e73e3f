// SPDX-License-Identifier: MIT
// What natural variations of one matrix product have in common: c = a x b with something more or something
// else, each as a user would write it.
#pragma once

#include <tile/dsl.h>
#include <tile/library.h>

namespace tile::variations {

struct Config {
  int block_m = 128, block_n = 128, block_k = 64;
  Launch launch{.num_warps = 8, .num_stages = 4};
};

#define VARIATION_OF(name, type_a, type_b, type_c)                                                           \
  inline void name(Ptr<const type_a> a, [[maybe_unused]] Ptr<const type_b> b, Ptr<type_c> c,                 \
                   [[maybe_unused]] Ptr<const f16> d, [[maybe_unused]] Int m, [[maybe_unused]] Int n,        \
                   [[maybe_unused]] Int k, const Config &cfg)
#define VARIATION(name) VARIATION_OF(name, f16, f16, f16)

// This program's block of the result.
#define PLACE                                                                                                \
  [[maybe_unused]] const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;                           \
  auto [tile_m, tile_n] =                                                                                    \
      swizzle2d(program_id(0) / cdiv(n, BN), program_id(0) % cdiv(n, BN), cdiv(m, BM), cdiv(n, BN), 8);      \
  [[maybe_unused]] Int row = tile_m * BM, column = tile_n * BN, steps = cdiv(k, BK)

// Its operands and its sums.
#define OPERANDS                                                                                             \
  PLACE;                                                                                                     \
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});                                                          \
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});                                                          \
  auto sum = zeros<f32>({BM, BN})

// What most of them begin with. `d` is m x n, and its first row a row of scales or biases.
#define BLOCKS                                                                                               \
  OPERANDS;                                                                                                  \
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN})

// sum += the product of all blocks along k.
#define MULTIPLY                                                                                             \
  for (auto i : range(steps))                                                                                \
  sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum)

#define STORE C.store({row, column}, cast<f16>(sum))

template <auto Fn> Kernel<Fn> kernel(const char *name) {
  return {.name = name,
          .parameters = {"a", "b", "c", "d", "m", "n", "k"},
          .grid = [](auto &cfg, auto, auto, auto, auto, int m, int n,
                     auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
          .work = [](auto, auto, auto, auto, int m, int n, int k) { return Work{.flop = 2.0 * m * n * k}; }};
}

}   // namespace tile::variations
