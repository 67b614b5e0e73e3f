// SPDX-License-Identifier: MIT
// What the CTAs that share a program's tile have each of its own.
#pragma once

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

namespace tile::ir {

// Of a tile whose axis is divided: the part of the CTA with this rank. Its type has fewer elements, and so
// has a constant. Numbers of elements begin at those of the part.
void takePart(mlir::Value tile, unsigned axis, unsigned ctas, mlir::Value rank);

}   // namespace tile::ir
