// SPDX-License-Identifier: MIT
// Which sizes share what tuning finds out. A server that meets a new number of rows with each request would
// tune, or look for a config, as often; rows that differ by a few are worked on alike:
//
//   1 .. 8 | 9 .. 16 | 17 .. 32 | 33 .. 48 | 49 .. 64 | 65 .. 80 | ... | 113 .. 128 | 129 .. 160 | ...
//   | 3585 .. 4096 |
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tile::kernels::detail {

// The largest size of the bucket: 8, a multiple of 16, and above 64 of a quarter of the power of two below.
constexpr std::int64_t size_bucket(std::int64_t size) {
  if (size <= 0)
    return 0;
  if (size <= 8)
    return 8;
  const auto below = std::bit_floor(static_cast<std::uint64_t>(size - 1 > 0 ? size - 1 : 1));
  const std::int64_t step = std::max<std::int64_t>(16, static_cast<std::int64_t>(below / 4));
  return (size + step - 1) / step * step;
}

// Which blocks divide the size: the largest power of two that does, up to 256. Part of a key where a config
// is for such sizes only.
constexpr std::int64_t divisor_class(std::int64_t size) {
  return size == 0 ? 256 : std::min<std::int64_t>(256, size & -size);
}

}   // namespace tile::kernels::detail
