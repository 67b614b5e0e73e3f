// SPDX-License-Identifier: MIT
// Products that go on while the program does (tile_gpu.in_flight): the next slot is waited for meanwhile.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// Whether the loop hands the sums of this product of its body on to the next one, and nobody else looks at
// them. An unrolled loop does not: it becomes several, of which each may go round or not.
bool mayStayInFlight(ir::DotOp dot, mlir::scf::ForOp loop);

// The product of such a loop goes on. Its slot, of which `lease` is and which nobody has released yet, is
// released when the product of the next one has been begun, and that of its own is over:
//
//    last = none; for { lease = wait; sum = dot ..., sum; release last; last = lease }  await sum; release
//    last
//
// Around it stands the question whether there is anything to multiply. Else ways with and without products
// on their way would meet before the wait, and the assembler would have to copy registers that are being
// written.
void keepInFlight(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, ir::DotOp dot, mlir::Value lease);

}   // namespace tile
