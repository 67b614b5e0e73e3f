// SPDX-License-Identifier: MIT
// The compiler where it is inside the program.
#include "compiler/api/compiler.h"

#include "compiler/api/start_llvm.h"

#include <atomic>

extern "C" const tile::Compiler *tile_compiler();

namespace tile {

static std::atomic<bool> is_loaded = false;

const Compiler &compiler() {
  static const Compiler &inside = []() -> const Compiler & {
    start_llvm();
    is_loaded = true;
    return *tile_compiler();
  }();
  return inside;
}

bool compiler_is_loaded() { return is_loaded; }

}   // namespace tile
