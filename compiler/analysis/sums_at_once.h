// SPDX-License-Identifier: MIT
// How many registers a block's products and what is computed from them take, if each product begins when what
// it multiplies is there, and goes on until its sums are needed.
//
//    s = dot k, q;  p = exp(s);  a = dot cast(p), g, a;  t = dot v, g;  d = p * t;  b = dot cast(d), q, b
//
// Most are taken when the second product begins: those of p, cast(p), a, b, and of t, which begins before p
// is there. Not those of s, which is over, and not those of d.
#pragma once

#include "mlir/IR/Block.h"

#include <cstdint>

namespace tile {

// Whether an op only brings a tile to another form or place.
bool movesTile(mlir::Operation *op);

// Of a thread. `warps`: of those that run the block. `isInOrder`: each product ends before the next op
// begins, as those of mma.sync do.
std::int64_t sumsAtOnce(mlir::Block &block, unsigned warps, bool isInOrder = false);

}   // namespace tile
