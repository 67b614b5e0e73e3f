// SPDX-License-Identifier: MIT
// Which layout suits an access or a product, and how layouts follow from each other through ops
// that change the shape. Pure functions: the pass that assigns layouts decides where to ask.
#pragma once

#include "compiler/analysis/axis_facts.h"
#include "compiler/layout/constructors.h"

namespace tile {

// For an access to global memory: vectors of up to 16 bytes along the axis with the longest runs,
// neighbouring lanes side by side.
layout::TileLayout coalescedLayout(const layout::Shape &shape, const AxisFacts &pointers,
                                   unsigned elementBits, unsigned warps);
// Where nothing is known: row-major, one element after the other.
layout::TileLayout defaultLayout(const layout::Shape &shape, unsigned warps);

// How many consecutive registers hold consecutive elements along `axis`, as far as addresses are aligned to
// that many, one mask covers them (null: no mask), and one access moves them.
std::int64_t vectorLength(const layout::TileLayout &layout, unsigned axis, const AxisFacts &pointers,
                          const AxisFacts *mask, std::int64_t elementBytes);
// The same along the axis where it is longest.
std::int64_t vectorLength(const layout::TileLayout &layout, const AxisFacts &pointers, const AxisFacts *mask,
                          std::int64_t elementBytes);

// The same where nothing need be aligned, because elements are accessed one by one.
std::int64_t neighbours(const layout::TileLayout &layout, AxisFacts pointers, std::int64_t elementBytes);

// How the warps lie over the tile of a product so that they read the least of both operands. `fragment`: what
// one instruction computes; none reads less than for that.
struct WarpGrid {
  unsigned m, n;
};
struct ProductFragment {
  unsigned m, n;
};
WarpGrid matrixWarps(std::int64_t m, std::int64_t n, ProductFragment fragment, unsigned warps);
// Whole rows in each warp, as far as there are fragments of so many rows for all of them.
WarpGrid warpsOverRows(std::int64_t m, unsigned rowsOfFragment, unsigned warps);

// The operand of a broadcast, expand_dims or permute whose result has the given layout: its elements then
// lie where the result needs them and nothing moves.
layout::TileLayout broadcastOperand(const layout::TileLayout &result, const layout::Shape &operand);
layout::TileLayout permuteOperand(const layout::TileLayout &result, const std::vector<unsigned> &order);
layout::TileLayout permuteResult(const layout::TileLayout &operand, const std::vector<unsigned> &order);
// Whether that holds for a tile in shared memory, too: repetitions lie there in the order of their axes, and
// where a permutation exchanges those of two axes, no layout of the result says so.
bool permutesInPlace(const layout::Shape &operand, const std::vector<unsigned> &order);

}   // namespace tile
