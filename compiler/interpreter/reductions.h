// SPDX-License-Identifier: MIT
// Reductions, scans and histograms. The combine region is a block of elementwise instructions
// that works on many pairs at once: no operation needs a special case to be fast.
#pragma once

#include "compiler/interpreter/program.h"

namespace tile::interpreter {

// One of the tiles that are reduced together, and where the region finds and leaves its lanes.
struct Combined {
  std::size_t bytes;   // of a lane
  Place source, result;
  Place earlier, later, combined;
  Place work = NoPlace;   // half a tile, of reductions
};

// The axis in the middle of [outer, extent, inner]. Neighbours are combined, then their results,
// and so on; what has no neighbour waits for the next round. So the order of a reduction of x0
// to x5 is ((x0 x1) (x2 x3)) (x4 x5), the same for every kind of combination.
struct Reduction : Detail {
  std::size_t outer, extent, inner;
  std::vector<Combined> tiles;
  std::vector<BlockId> rounds;   // the region for the lanes of each round
};
Handler reduceHandler();

// From the first element to the last, or back, one after the other.
struct Scan : Detail {
  std::size_t outer, extent, inner;
  bool reverse;
  std::vector<Combined> tiles;
  BlockId block;
};
Handler scanHandler();

// a: the values; b: the mask, if any. lanes: of the values.
struct Histogram : Detail {
  std::size_t bins;
};
Handler histogramHandler();

}   // namespace tile::interpreter
