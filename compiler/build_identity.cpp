// SPDX-License-Identifier: MIT
// Apart, because a change of any source compiles it anew.
#include "compiler/api/compiler.h"

#include "tile_sources_hash.h"

// The launching side looks at it before it asks for anything whose form depends on the build.
extern "C" const char *tile_compiler_build() { return tile::build_identity; }
