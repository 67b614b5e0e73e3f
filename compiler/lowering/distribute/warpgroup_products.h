// SPDX-License-Identifier: MIT
// Products that a group of four warps makes of tiles in shared memory: wgmma.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// When this returns the product is on its way no longer: its slots may be released.
mlir::LogicalResult warpgroupProduct(ir::DotOp dot, const MatrixUnit &unit, Distribution &d);

}   // namespace tile::gpu
