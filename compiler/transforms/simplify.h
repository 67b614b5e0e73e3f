// SPDX-License-Identifier: MIT
// The parts of `tile-simplify`, one idea each.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tile::ir {

/// Elementwise ops run before their operands' elements are repeated.
void populateSinkBroadcastPatterns(mlir::RewritePatternSet &patterns);

/// Sums go into products, choices into masked loads.
void populateFuseOpsPatterns(mlir::RewritePatternSet &patterns);

/// Uses what is known about the integers of `function`. Sets `changed` if anything was.
mlir::LogicalResult applyIntegerRanges(mlir::Operation *function, bool &changed);

}   // namespace tile::ir
