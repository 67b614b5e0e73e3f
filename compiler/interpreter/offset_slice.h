// SPDX-License-Identifier: MIT
// The values that can hold an address, or an offset of one, which overflowed: found
// backwards from the accesses, then forwards from the arithmetic. Only these are watched when the
// kernel runs (wrapped.h); loop counters, hashes and everything else pay nothing.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tile::interpreter {

class OffsetSlice {
 public:
  explicit OffsetSlice(mlir::func::FuncOp kernel);

  // A note about wrapping may reach this value and matters.
  bool carries(mlir::Value value) const { return tainted_.contains(value); }
  // For the result of an addition, subtraction or product that carries: how it is read.
  bool isUnsigned(mlir::Value value) const { return demanded_.lookup(value) == Unsigned; }

 private:
  enum Reading : unsigned { Unsigned = 1, Signed = 2 };
  llvm::DenseMap<mlir::Value, unsigned> demanded_;
  llvm::DenseSet<mlir::Value> tainted_;
};

// The operations that are checked: on 32 and on 64 bits.
bool mayWrap(mlir::Operation *op);

}   // namespace tile::interpreter
