// SPDX-License-Identifier: MIT
// The expected time of a product of matrices for a tile size, by arithmetic alone. So sizes that were not
// measured get a reasonable config at once. test/unit/kernels/costs_test.cpp compares the results with the
// measurements in docs/results/.
#pragma once

#include <tile/device.h>
#include <tile/dsl.h>

#include <cstdint>
#include <type_traits>

namespace tile::kernels::detail {

// The products of one launch.
struct Product {
  std::int64_t m, n, k;
  std::int64_t count = 1;   // number of products of this size
  int in_bytes = 2, out_bytes = 2;
  bool is_exact = false;   // f32 products in f32 arithmetic, which no matrix unit has
  // The operand is contiguous along K. Products of warpgroups need that of both for types without 16 bits.
  bool a_along_k = true, b_along_k = true;
  bool is_uneven = false;   // m is the mean of products with different numbers of rows
};

struct ProductTile {
  int block_m, block_n, block_k;
  Launch launch;
  bool swap_ab = false;           // the transpose is computed, so the columns of b come first
  int split_k = 1;                // number of programs that share a tile, each with a part of K
  bool is_described = true;       // the operands have descriptors, so the copy engine copies them
  bool stores_described = true;   // the result has a descriptor
};

template <class In, Precision Products>
inline constexpr bool is_exact_product =
    sizeof(In) > 4 || (std::is_same_v<In, f32> && Products == Precision::ieee);

// Whether the code knows that rows of results are whole units of 16 bytes, so that boxes store all of them.
constexpr bool stores_boxes_alone(int n) { return n % 16 == 0; }
// Of grouped products: where groups of warps take turns at wide tiles, registers hold the sums beside what
// such stores need, and not beside what stores by threads need.
template <class Config> bool stores_fit(const Config &cfg, int n) {
  return !cfg.launch.ping_pong || cfg.block_m * cfg.block_n <= 128 * 128 || stores_boxes_alone(n);
}

// The expected seconds. Infinity if the tile does not fit the shared memory of a CTA.
double product_seconds(const Machine &machine, const Product &product, const ProductTile &tile);

}   // namespace tile::kernels::detail
