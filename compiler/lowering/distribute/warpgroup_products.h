// SPDX-License-Identifier: MIT
// Products that a group of four warps makes of tiles in shared memory: wgmma.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// A product is awaited at once, so that its slots may be released, or goes on (tile_gpu.in_flight) until the
// next one has been begun:
//
//    wait 0; multiply; wait 1; multiply, await the first; release 0; ...; await the last; release it
mlir::LogicalResult warpgroupProduct(ir::DotOp dot, const MatrixUnit &unit, Distribution &d);
void awaitProducts(AwaitProductsOp await, Distribution &d);
void computeFirst(ComputeFirstOp first, Distribution &d);

}   // namespace tile::gpu
