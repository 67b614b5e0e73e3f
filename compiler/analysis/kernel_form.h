// SPDX-License-Identifier: MIT
// What passes on tiles rely on and no operation's own verifier sees: it is about operations of other
// dialects, and about the function. Each such pass asks first, for any text that parses may come to it by
// tile-opt.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

// Control flow is structured, every tile is one of the language, and constants have their elements. Fails
// with a diagnostic at what is otherwise.
mlir::LogicalResult checkTiles(mlir::func::FuncOp kernel);

// That, and the function takes and returns no tiles, and every tile has a layout. `before`: the pass that
// asks.
mlir::LogicalResult checkLaidOut(mlir::func::FuncOp kernel, llvm::StringRef before);

}   // namespace tile
