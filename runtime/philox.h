// SPDX-License-Identifier: MIT
// The counter-based random number generator Philox-4x32-10 (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Its four words depend only on the key and the
// counter, so any element of any tile can be drawn on its own.
#pragma once

#include <array>
#include <cstdint>

namespace tile::numeric {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// A 64-bit seed is the key, low word first.
constexpr PhiloxKey philox_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

constexpr PhiloxCounter philox(PhiloxKey key, PhiloxCounter c) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * c[0], second = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(second >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;   // the golden ratio
    key[1] += 0xBB67AE85;   // the square root of 3, less 1
  }
  return c;
}

}   // namespace tile::numeric
