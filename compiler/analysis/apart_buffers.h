// SPDX-License-Identifier: MIT
// Which accesses to global memory never meet, by what the kernel promises of its pointers
// (`tile.assume_apart`).
#pragma once

#include "dialects/tile/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <utility>

namespace tile {

class ApartBuffers {
 public:
  explicit ApartBuffers(mlir::func::FuncOp kernel);
  // Whether both ops access global memory, each through pointers or descriptors that come from kernel
  // arguments, and those of one point into other buffers than those of the other.
  bool keepApart(mlir::Operation *x, mlir::Operation *y) const;

 private:
  llvm::DenseSet<std::pair<unsigned, unsigned>> apart_;   // arguments of the kernel, in either order
};

}   // namespace tile
