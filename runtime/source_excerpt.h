// SPDX-License-Identifier: MIT
// The line of source that an error points at.
#pragma once

#include "runtime/error.h"

#include <string>

namespace tile {

// The two or three lines of an error report that show `where`, each ended by a newline:
//    |
// 27 |   auto q = p + (rows * n + cols);
//    |                            ^
// Empty when there is nothing to show: the file cannot be read, has no such line, or belongs to
// the system. A relative name, as compilers record it with -ffile-prefix-map, is looked up below
// TILE_SOURCE_ROOT, below the current folder and below each folder above it.
std::string source_excerpt(const Location &where);

}   // namespace tile
