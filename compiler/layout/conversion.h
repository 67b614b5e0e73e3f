// SPDX-License-Identifier: MIT
// What it takes to bring a tile from one distributed layout into another, decided by looking at
// dst^-1 after src alone.
#pragma once

#include "compiler/layout/tile_layout.h"

#include <vector>

namespace tile::layout {

enum class Exchange {
  None,        // every thread already holds its elements in the right registers
  Registers,   // every thread holds its elements, in other registers: renaming, no instruction
  Selects,     // every thread holds its elements; in which register depends on its lane or warp
  Lanes,       // elements cross lanes of a warp: shuffles
  Shared,      // elements cross warps: a trip through shared memory
  Blocks       // elements cross CTAs of a cluster
};

struct Conversion {
  Exchange exchange = Exchange::None;
  // For None and Registers: destination register i takes source register `source[i]`.
  std::vector<std::int64_t> source;
};
Conversion planConversion(const TileLayout &src, const TileLayout &dst);

}   // namespace tile::layout
