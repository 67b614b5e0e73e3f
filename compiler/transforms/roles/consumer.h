// SPDX-License-Identifier: MIT
// What becomes of the loads of a group in the program of those who multiply: a wait for its slot, and a
// release.
//
//    x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum      wait; x = view 0; y = view 1; sum = dot x,
//    y, sum;
//                                                                 release
//
// What products do not multiply where it lies is read into registers.
#pragma once

#include "compiler/transforms/roles/copied_group.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// `group` is of the program's own ops. `isOfRegisters`: its products multiply what is read, too, and the slot
// is released behind them.
void consume(mlir::ImplicitLocOpBuilder &b, const CopiedGroup &group, bool isOfRegisters);

}   // namespace tile
