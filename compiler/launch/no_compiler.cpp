// SPDX-License-Identifier: MIT
// What stands for the compiler in programs that are linked without it.
#include "compiler/api/compiler.h"

#include "runtime/error.h"
#include "runtime/pack/policy.h"

namespace tile {

// So launches do not try to: they take the best code of the packs, and name the nearest where none fits.
static const bool is_forbidden = [] {
  set_policy({.compile = Compile::never});
  return true;
}();

const Compiler &compiler() {
  throw Error("the compiler is needed now, and this program is linked without it", {})
      .with_code(ErrorCode::unsupported)
      .add_help("link tile::jit, not tile::launch; or launch only what a pack holds (docs/shipping.md)");
}

bool compiler_is_loaded() { return false; }

}   // namespace tile
