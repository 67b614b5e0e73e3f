// SPDX-License-Identifier: MIT
// Damage that most often still verifies: operations of a module get other operands, attributes, types and
// places. Passes meet what no front end writes.
#pragma once

#include "tools/mutants/damage_text.h"

#include "mlir/IR/BuiltinOps.h"

namespace tile::mutants {

void damage_ops(mlir::ModuleOp module, Chance &chance);

}   // namespace tile::mutants
