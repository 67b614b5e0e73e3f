// SPDX-License-Identifier: MIT
// How often a counted loop runs.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {

// On the comparison that says whether the step of a loop is positive, where only the kernel's data says it:
// the simulator reports a step that is not.
inline constexpr llvm::StringLiteral StepName = "tile_gpu.loop_step";

// Whether the loop runs at all, as an op where the builder is.
mlir::Value isAnyTrip(mlir::ImplicitLocOpBuilder &b, mlir::Value lower, mlir::Value upper, bool isUnsigned);

// ceil((upper - lower) / step), 0 where there is nothing between them, as ops in front of the loop. No sum
// overflows. A step that is not positive gives 0, and nothing is divided by it. The bounds are given apart
// from the loop, which may be of another function.
mlir::Value tripCount(mlir::ImplicitLocOpBuilder &b, mlir::Value lower, mlir::Value upper, mlir::Value step,
                      bool isUnsigned);

}   // namespace tile
