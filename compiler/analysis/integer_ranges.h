// SPDX-License-Identifier: MIT
// What values an integer can have: MLIR 22's analysis but for two claims that do not hold in the
// language, and with what the launch tells of a kernel's arguments.
#pragma once

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

namespace tile {

class RangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
 public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;
  using Lattice = mlir::dataflow::IntegerValueRangeLattice;

  // MLIR says that the ceiling of MIN / b is positive.
  mlir::LogicalResult visitOperation(mlir::Operation *op, mlir::ArrayRef<const Lattice *> operands,
                                     mlir::ArrayRef<Lattice *> results) override;

  // MLIR reads the bounds of every loop as signed: of an induction variable below an unknown unsigned
  // bound it would claim that it is never negative.
  void visitNonControlFlowArguments(mlir::Operation *op, const mlir::RegionSuccessor &successor,
                                    mlir::ArrayRef<Lattice *> arguments, unsigned firstIndex) override;

  // An argument of the class `divisible_by_16` is a positive multiple.
  void setToEntryState(Lattice *lattice) override;
};

}   // namespace tile
