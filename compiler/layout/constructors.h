// SPDX-License-Identifier: MIT
// The layouts that have names. Each returns a plain TileLayout; nothing asks afterwards which
// of them made it.
//
// All take the shape of the tile. A tile larger than what the named pattern covers repeats it in
// more registers; along an axis where the tile is smaller, the lanes or warps left over hold
// replicas.
#pragma once

#include "compiler/layout/tile_layout.h"

#include <cstdint>
#include <vector>

namespace tile::layout {

using Shape = std::vector<std::int64_t>;

// Neighbouring elements to a thread, then to lanes, then to warps, along the axes from the
// fastest (`order[0]`) to the slowest. The product of `lanes` is 32, of `warps` the number of warps.
struct Blocking {
  std::vector<unsigned> elements, lanes, warps, order;
};
TileLayout blocked(const Shape &shape, const Blocking &blocking);

// What is left of a layout when `axis` is reduced away: its places hold the remaining coordinates.
// Registers that would hold the same element are dropped, lanes and warps keep replicas.
TileLayout slice(const TileLayout &parent, unsigned axis);

// Fragments of mma.sync m16n8k(256 / bits): PTX ISA, "Matrix Fragments for mma.m16n8k16" and its kin.
// `warpsM`, `warpsN`: how the warps lie over the tile. `bits`: of an operand's element, 8, 16 or 32. Those of
// wgmma m64nN are the same, with four warps along M to each of its 64 rows.
TileLayout mmaAccumulator(const Shape &mn, unsigned warpsM, unsigned warpsN);
// The same where warps along N have columns of their own that lie together, as many as one instruction takes.
TileLayout wgmmaAccumulator(const Shape &mn, unsigned warpsM, unsigned warpsN);
TileLayout mmaOperandA(const Shape &mk, unsigned bits, unsigned warpsM, unsigned warpsN);
TileLayout mmaOperandB(const Shape &kn, unsigned bits, unsigned warpsM, unsigned warpsN);
// One 8x8 matrix of ldmatrix or stmatrix: 8 rows of 16 bytes over the 32 lanes of a warp, 32 bits each.
LinearLayout ldmatrixAtom(unsigned bits);

// Shared memory, as a map from the element's offset in the buffer. `order[0]` is the fastest axis.
TileLayout sharedPlain(const Shape &shape, const std::vector<unsigned> &order);
// Rows of `swizzleBytes` (32, 64 or 128) whose 16-byte chunks are exchanged by XOR with the row, as the
// tensor-copy engine and wgmma's matrix descriptors read them: address bits 4.. are XORed
// with bits 7... A wider tile is a sequence of such panels. Rank 2.
TileLayout sharedSwizzled(const Shape &shape, unsigned bits, unsigned swizzleBytes,
                          const std::vector<unsigned> &order);

// An operand of products, neighbours along `fast`: swizzled where its rows are long enough, so that the
// matrix unit's reads meet no bank twice.
TileLayout sharedRows(const Shape &shape, unsigned bits, unsigned fast);
// The bytes of a row that sharedRows() swizzles: 32, 64 or 128, or 0 where rows are too short.
unsigned sharedSwizzle(const Shape &shape, unsigned bits, unsigned fast);

}   // namespace tile::layout
