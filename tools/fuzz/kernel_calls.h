// SPDX-License-Identifier: MIT
// Random calls of the shipped products: tiles, schedules, types and sizes as nobody would choose them, as
// settings of `tile run`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tile::fuzz {

struct KernelCall {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> settings;   // "m", "129"
  std::string config;                                          // "block_m=64,launch.num_warps=8"
  std::uint64_t seed = 1;                                      // of the operands
  unsigned order = 0;                                          // order_of()
};

KernelCall generate_call(std::uint64_t seed);
// What a shell runs to make the call again.
std::string command(const KernelCall &call);

}   // namespace tile::fuzz
