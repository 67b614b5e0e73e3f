// SPDX-License-Identifier: MIT
// Without the linker's script, cmake/lazy_llvm.ld, there is nothing between the two symbols, and the program
// has begun with it.
#include "compiler/api/start_llvm.h"

#include <mutex>

extern "C" {
using Initialiser = void (*)();
extern const Initialiser tile_llvm_init_begin[] __attribute__((weak, visibility("hidden")));
extern const Initialiser tile_llvm_init_end[] __attribute__((weak, visibility("hidden")));
}

namespace tile {

void start_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const Initialiser *each = tile_llvm_init_begin; each != tile_llvm_init_end; ++each)
      (*each)();
  });
}

}   // namespace tile
