// SPDX-License-Identifier: MIT
// The 64 bits by which a matrix operation of a warpgroup finds an operand in shared memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tile::simulator {

// PTX ISA, "Matrix Descriptor Format": bits 0-13 start, 16-29 leading byte offset, 32-45 stride byte offset,
// all in units of 16 bytes, 49-51 base offset, 62-63 swizzle.
struct MatrixDescriptor {
  std::uint32_t start, leading, stride;
  unsigned base, mode;   // mode: 0 none, 1, 2, 3: 128, 64, 32 bytes

  explicit MatrixDescriptor(std::uint64_t bits);
  // Those that are set and mean nothing.
  static std::uint64_t unknownBits(std::uint64_t bits) {
    return bits & (3ull << 14 | 3ull << 30 | 7ull << 46 | 0x3FFull << 52);
  }
  // The places of units of 16 bytes, swizzled. K-major: of each of `rows` rows two units along k; otherwise
  // of each of 16 k, `rows` / 8 units.
  void places(unsigned rows, bool isTransposed, std::vector<std::uint32_t> &places) const;
};

}   // namespace tile::simulator
