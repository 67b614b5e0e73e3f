// SPDX-License-Identifier: MIT
#pragma once

#include "compiler/layout/bit_matrix.h"
#include "compiler/layout/tile_layout.h"

#include <optional>

namespace tile::layout {

// The first columns of a tile, a power of two, as if they were all: of what each group of warps has, where
// some groups have others. The threads can write a tile some columns at a time only if it has such a part.
//
//    64 x 64 by two groups of warps, columns of 32: those of the first group are 0 .. 31
struct FirstColumns {
  TileLayout part;
  std::int64_t groups;   // of warps
  Columns group;         // the number of a warp's group, by the bits of the warp

  // Nothing where lanes differ in more than these columns, or warps not by halves of all columns.
  static std::optional<FirstColumns> of(const TileLayout &tile, std::int64_t columns);
};

}   // namespace tile::layout
