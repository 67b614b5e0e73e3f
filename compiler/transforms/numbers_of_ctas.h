// SPDX-License-Identifier: MIT
// What the CTAs that share a program's tile have each of its own.
#pragma once

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

namespace tile::ir {

// start, start + 1, ...: of `extent` numbers for each CTA, those of the CTA with this rank.
void beginAtPartOf(ArangeOp numbers, int64_t extent, mlir::Value rank);

}   // namespace tile::ir
