// SPDX-License-Identifier: MIT
// From a finished trace to a module of the tile dialect.
#pragma once

#include "compiler/dsl/traced_source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tile {

// Throws tile::Error when it does not verify: a bug of the front end, not of the user.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(const detail::TracedSource &source, mlir::MLIRContext &context);

}   // namespace tile
