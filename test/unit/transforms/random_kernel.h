// SPDX-License-Identifier: MIT
// Kernels that nobody would write, to see that a pass keeps what they compute: integer arithmetic on
// values of all shapes, with masks, constants at the edges of i32, promises that hold, and a loop.
#pragma once

#include <cstdint>
#include <string>

namespace tile::test {

// Reads x (32 elements of i32), takes n and m, and writes RandomKernelOutputs elements of i32.
struct RandomKernel {
  std::string text;
  std::int32_t n = 0, m = 0;
};
inline constexpr int RandomKernelStores = 16, RandomKernelOutputs = RandomKernelStores * 32;

RandomKernel random_kernel(std::uint32_t seed);

}   // namespace tile::test
