// SPDX-License-Identifier: MIT
// What compiled kernels call: the functions by name.
#pragma once

#include <span>
#include <string_view>

namespace tile::simulator {

struct Symbol {
  std::string_view name;
  void *address;
};

// Where threads are and meet, memory, printing; operations on a warp; the machine's approximations of
// functions and what the host's LLVM expects of its own runtime.
std::span<const Symbol> programCalls();
std::span<const Symbol> memoryCalls();
std::span<const Symbol> warpCalls();
std::span<const Symbol> mathCalls();
// How parts of a program wait for each other; bulk copies and matrix operations of a warpgroup.
std::span<const Symbol> syncCalls();
std::span<const Symbol> bulkCalls();
// Changes of tensor maps.
std::span<const Symbol> mapCalls();

template <class Function> void *addressOf(Function *function) { return reinterpret_cast<void *>(function); }

}   // namespace tile::simulator
