// SPDX-License-Identifier: MIT
// Products that go on while the program does (tile_gpu.in_flight): the next slot is waited for meanwhile.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// The product of a loop in which it may (mayStayInFlight) goes on. Its slots, of which `leases` are and which
// nobody has released yet, are released when the product of the next one has been begun, and that of its own
// is over. The loop afterwards.
//
//    last = none; for { lease = wait; sum = dot ..., sum; release last; last = lease }  await sum; release
//    last
//
// Around it stands the question whether there is anything to multiply. Else ways with and without products
// on their way would meet before the wait, and the assembler would have to copy registers that are being
// written.
mlir::scf::ForOp keepInFlight(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, ir::DotOp dot,
                              mlir::ArrayRef<mlir::Value> leases);

// Asks in front of a loop whether it has any iteration. The branch takes the place of the loop's results, and
// gives their first values if it has no iteration. The builder then stands on the other side, still empty.
mlir::scf::IfOp askForIterations(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop);

}   // namespace tile
