// SPDX-License-Identifier: MIT
// The GPU that a kernel is compiled for, as `tile-assign-layouts` writes it down.
#pragma once

#include "compiler/target/target.h"

#include "mlir/IR/Operation.h"

namespace tile {

// A kernel that names none runs on all: it is given what the oldest has.
Target targetOf(mlir::Operation *kernel);

}   // namespace tile
