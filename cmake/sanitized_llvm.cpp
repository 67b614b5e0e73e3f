// SPDX-License-Identifier: MIT
// With the sanitizers our copies of LLVM's inline allocators mark memory as not to be touched before it is
// given out. The copies in LLVM's own libraries, which are not instrumented and use the same allocators,
// never take the mark off. So nothing is marked: the linker sends the calls here (TileToolchain.cmake).
#include <cstddef>

extern "C" void __wrap___asan_poison_memory_region(const volatile void *, std::size_t);
extern "C" void __wrap___asan_poison_memory_region(const volatile void *, std::size_t) {}
