// SPDX-License-Identifier: MIT
// What holds of products that go on while the program does (`tile_gpu.in_flight`).
#pragma once

#include "mlir/IR/Region.h"
#include "mlir/Support/LogicalResult.h"

namespace tile::gpu {

// Of all products of a role's program: each one's sums are looked at behind a wait alone, somebody waits for
// the last one, and what a product reads is released when it is over.
mlir::LogicalResult verifyProductsInFlight(mlir::Region &program);

}   // namespace tile::gpu
