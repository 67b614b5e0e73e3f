// SPDX-License-Identifier: MIT
// What one access of a warp to memory costs on the machine. Shared memory has 32 banks of 4 bytes: a
// wavefront brings one word of each. Global memory is moved in sectors of 32 bytes.
#pragma once

#include <array>
#include <cstdint>

namespace tile::simulator {

// What the lanes of a warp ask for with one instruction. Lanes whose bit is not set ask for nothing.
struct WarpAccess {
  std::array<std::uint64_t, 32> at{};   // byte addresses, in memory that begins at a multiple of 128
  std::uint32_t active = 0;
  std::uint32_t bytes = 0;   // of each lane
};

// Wavefronts or sectors, and how few of them would do.
struct AccessCost {
  std::uint32_t parts = 0, least = 0;
  bool operator==(const AccessCost &) const = default;
};

// In wavefronts. Lanes that ask for 8 bytes are served in two halves of the warp, for 16 bytes in four
// quarters. Lanes that want the same word get it together, unless they update it: then one after the other.
//
//   4 bytes at 4 * lane    1 wavefront          4 bytes at 128 * lane   32: all in bank 0
//   4 bytes at 8 * lane    2: two words a bank  4 bytes at 0            1: one word for all
AccessCost sharedCost(const WarpAccess &access, bool isUpdate = false);

// In sectors. The least is what the bytes asked for, each counted once, would fill.
AccessCost globalCost(const WarpAccess &access);

}   // namespace tile::simulator
