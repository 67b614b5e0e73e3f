// SPDX-License-Identifier: MIT
// How often a counted loop runs.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {

// ceil((upper - lower) / step), 0 where there is nothing between them, as ops in front of the loop. No sum
// overflows. The bounds are given apart from the loop, which may be of another function.
mlir::Value tripCount(mlir::ImplicitLocOpBuilder &b, mlir::Value lower, mlir::Value upper, mlir::Value step,
                      bool isUnsigned);

}   // namespace tile
