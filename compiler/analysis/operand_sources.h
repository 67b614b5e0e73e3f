// SPDX-License-Identifier: MIT
// What an operand of a product is made of: a block that is loaded through a descriptor, or what is computed
// from such blocks.
//
//    dot(load A, permute(load B))              A and B are multiplied where the copies put them
//    dot(load A * scale, cast(load B))         both are read into registers first, and computed
#pragma once

#include "dialects/tile/dialect.h"

namespace tile {

// The load of an operand, through transpositions. Null if it is something else.
ir::DescriptorLoadOp loadOf(mlir::Value operand);

struct OperandSources {
  // A block, or a transposed block, that lies in shared memory as a matrix unit reads it.
  bool isLoaded = false;
  // Whether neighbours in memory are neighbours along axis 0 of the operand.
  bool isTransposed = false;
  mlir::SmallVector<ir::DescriptorLoadOp, 2> loads;   // in the order in which they are found
  ir::DotOp product;   // another one, of whose sums the operand is computed; null where no product is
  // A block that is loaded through pointers, which no copy can bring. Null where all are loaded otherwise.
  mlir::Operation *obstacle = nullptr;

  static OperandSources of(mlir::Value operand);
};

}   // namespace tile
