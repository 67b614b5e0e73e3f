// SPDX-License-Identifier: MIT
// What moves data from global to shared memory with no register in between, and by which rules. Passes that
// bring data to shared memory ask the target's engine what it takes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tile {

// Each thread has its own unit copied: a power of two of bytes, to which both addresses are aligned.
struct ThreadCopies {
  std::string_view instruction;
  std::int64_t leastBytes, mostBytes;
};

// One thread has a box of a tensor copied.
struct BoxCopies {
  std::string_view instruction;
  unsigned mostRank;
  unsigned mostExtent;                  // of the box along one axis
  std::int64_t alignment;               // bytes: of the tensor's address and strides, and of a row of the box
  std::span<const unsigned> swizzles;   // bytes of a row whose units of 16 are exchanged
};

// PTX ISA, "cp.async" and "cp.async.bulk.tensor"; what the manual leaves open is in docs/calibration.md.
inline constexpr ThreadCopies AsyncCopies{"cp.async", 4, 16};
inline constexpr unsigned TensorSwizzles[] = {32, 64, 128};
inline constexpr BoxCopies TensorCopies{"cp.async.bulk.tensor", 5, 256, 16, TensorSwizzles};

}   // namespace tile
