// SPDX-License-Identifier: MIT
// An axis whose elements meet in the order of their coordinates, for reductions and scans: which bit
// of a register, lane or warp number gives each bit of the coordinate, and how values cross lanes and warps.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

#include <map>
#include <optional>

namespace tile::gpu {

using layout::Coordinates;
// For each row, by the coordinates that remain as lane 0 of warp 0 has them: one value per tile.
using RowValues = std::map<Coordinates, Registers>;

// Whether elements can meet in order without the warps coming before the end.
bool meetsInOrder(const layout::TileLayout &layout, unsigned axis);
// A layout that does: all of the axis within a warp, the lanes along it, the warps along the others.
layout::TileLayout rowsInWarps(const layout::TileLayout &like, unsigned axis);

// The registers of each row by their coordinate along the axis, one per tile.
using Row = std::map<std::int64_t, Registers>;
std::map<Coordinates, Row> rowsOf(const layout::TileLayout &layout, unsigned axis,
                                  llvm::ArrayRef<Registers> tiles);

// The combine region of an op applied to scalars; N values with N values.
Registers combine(Distribution &distribution, mlir::Region &region, mlir::ValueRange a, mlir::ValueRange b);

// The value of the lane whose number differs in these bits.
mlir::Value shuffle(mlir::ImplicitLocOpBuilder &b, mlir::Value v, unsigned lanes);
// Whether the bit of this thread's lane is set. i1.
mlir::Value laneBit(Distribution &distribution, unsigned bit);

// The bits of the warp number that lie along the axis, from the lowest coordinate bit.
mlir::SmallVector<unsigned> warpBits(const layout::TileLayout &layout, unsigned axis);
// Those bits of this thread's warp, as a number. i32.
mlir::Value warpAlong(Distribution &distribution, const layout::TileLayout &layout, unsigned axis);
// Each warp leaves its part of a row in shared memory; everyone reads all parts, in order.
std::map<Coordinates, mlir::SmallVector<Registers>> exchangeAcrossWarps(Distribution &distribution,
                                                                        const layout::TileLayout &layout,
                                                                        unsigned axis,
                                                                        const RowValues &parts);

// Likewise each CTA of a cluster, in the shared memory of all of them. `parts`: what its warps have together.
std::map<Coordinates, mlir::SmallVector<Registers>> exchangeAcrossCtas(Distribution &distribution,
                                                                       const layout::TileLayout &layout,
                                                                       unsigned axis, const RowValues &parts,
                                                                       unsigned ctas);

}   // namespace tile::gpu
