// SPDX-License-Identifier: MIT
// The operations of the language, by family.
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "dialects/tile/types.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "dialects/tile/program_ops.td"
include "dialects/tile/shape_ops.td"
include "dialects/tile/arith_ops.td"
include "dialects/tile/memory_ops.td"
include "dialects/tile/tensor_ops.td"

#endif
