// SPDX-License-Identifier: MIT
// The operations of the language, by family.
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "TileProgramOps.td"
include "TileShapeOps.td"
include "TileArithOps.td"
include "TileMemoryOps.td"
include "TileTensorOps.td"

#endif
