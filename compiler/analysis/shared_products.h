// SPDX-License-Identifier: MIT
// Products whose operands all warps of a kernel bring to shared memory, because a unit of the target reads
// them there: blocks that are loaded through pointers, and tiles that are computed.
//
//    x = load p;  y = cast (load q);  sum = dot x, y, sum         x is copied, y is computed and put there
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/matrix_products.h"

namespace tile {

// Where the sums and both operands lie then. Nothing where another way is better, or the only one.
std::optional<ProductLayouts> sharedLayoutsOf(ir::DotOp dot, const Target &target, unsigned warps,
                                              const AxisAnalysis &facts);

}   // namespace tile
