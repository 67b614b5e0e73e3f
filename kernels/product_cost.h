// SPDX-License-Identifier: MIT
// How long a product of matrices is expected to take with tiles of some size, by arithmetic alone: so that a
// size that nobody has measured gets a config that is about right, at once. What it is held to, is in
// docs/results/ (test/unit/kernels/costs_test.cpp).
#pragma once

#include "tile/device.h"
#include "tile/dsl.h"

#include <cstdint>
#include <type_traits>

namespace tile::kernels::detail {

// The products of one launch.
struct Product {
  std::int64_t m, n, k;
  std::int64_t count = 1;   // of this size
  int in_bytes = 2, out_bytes = 2;
  bool is_exact = false;   // of f32 by f32 arithmetic, which no matrix unit has
  bool along_k =
      true;   // both operands lie along K, as group products of types that have not 16 bits ask for
};

struct ProductTile {
  int block_m, block_n, block_k;
  Launch launch;
  int split_k = 1;                // programs that share a tile, each with a part of K
  bool is_described = true;       // the operands are: the copy engine copies them
  bool stores_described = true;   // the result is
};

template <class In, Precision Products>
inline constexpr bool is_exact_product =
    sizeof(In) > 4 || (std::is_same_v<In, f32> && Products == Precision::ieee);

// Seconds. What does not fit a CTA's shared memory costs more than anything that does: infinity.
double product_seconds(const Machine &machine, const Product &product, const ProductTile &tile);

}   // namespace tile::kernels::detail
