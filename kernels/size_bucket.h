// SPDX-License-Identifier: MIT
// Buckets of sizes that share results of tuning. Without buckets, a server with a new number of rows in each
// request would tune, or look for a config, each time. Sizes that differ little are computed alike:
//
//   1 .. 8 | 9 .. 16 | 17 .. 32 | 33 .. 48 | 49 .. 64 | 65 .. 80 | ... | 113 .. 128 | 129 .. 160 | ...
//   | 3585 .. 4096 |
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tile::kernels::detail {

// The bucket's largest size: 8, a multiple of 16, or of a `part` of the power of 2 below the size.
constexpr std::int64_t bucket_of_parts(std::int64_t size, std::uint64_t part) {
  if (size <= 0)
    return 0;
  if (size <= 8)
    return 8;
  const auto below = std::bit_floor(static_cast<std::uint64_t>(size - 1));
  const std::int64_t step = std::max<std::int64_t>(16, static_cast<std::int64_t>(below / part));
  return (size + step - 1) / step * step;
}

constexpr std::int64_t size_bucket(std::int64_t size) { return bucket_of_parts(size, 4); }

// Of the rows of a product. They decide how many tiles are left for the last wave, so the buckets are
// smaller: up to 4096 rows, no bucket is wider than a tile of 128.
constexpr std::int64_t row_bucket(std::int64_t rows) { return bucket_of_parts(rows, 16); }

// The largest power of two, up to 256, that divides the size. It tells which blocks divide the size. Keys
// contain it if some configs are for such sizes only.
constexpr std::int64_t divisor_class(std::int64_t size) {
  return size == 0 ? 256 : std::min<std::int64_t>(256, size & -size);
}

}   // namespace tile::kernels::detail
