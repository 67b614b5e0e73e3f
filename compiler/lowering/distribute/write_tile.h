// SPDX-License-Identifier: MIT
// A tile on its way from registers into a slot of shared memory, by stmatrix where its layout allows it.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// `part`: how the values, registers of each thread, lie over the tile of the slot.
void writeTile(Distribution &distribution, const layout::TileLayout &part, mlir::RankedTensorType slotTile,
               mlir::Value slot, mlir::ValueRange values);

// What this thread has written to shared memory comes before what engines and units read, which is in another
// proxy, behind a meeting.
void showToUnits(mlir::ImplicitLocOpBuilder &b);

}   // namespace tile::gpu
