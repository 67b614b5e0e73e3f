// SPDX-License-Identifier: MIT
// Two products of which the second multiplies what is computed from the first, in a loop:
//
//    for { s = dot q, k;  p = exp(s - ...);  sums = dot p, v, sums * shrink }
//
// The second one can be made an iteration behind the first: its operands and what its sums are multiplied by
// are all that it needs, and nothing but itself needs its sums, or the block that it multiplies by.
#pragma once

#include "dialects/tile/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

struct ProductChain {
  mlir::scf::ForOp loop;
  ir::DotOp first, second;
  mlir::BlockArgument sums;   // that the loop carries for the second product
  // Ops that the sums go through before the second product adds to them.
  llvm::SetVector<mlir::Operation *> behind;
};

// Nothing where the product is no second one, or where something else needs its sums or its block.
std::optional<ProductChain> chainOf(ir::DotOp second);

}   // namespace tile
