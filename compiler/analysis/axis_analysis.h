// SPDX-License-Identifier: MIT
// Axis facts of every value of a kernel, by one dataflow over the tile dialect and the arithmetic
// around it.
#pragma once

#include "compiler/analysis/axis_facts.h"

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Operation.h"

#include <memory>

namespace tile {

class AxisAnalysis {
 public:
  explicit AxisAnalysis(mlir::Operation *kernel);
  ~AxisAnalysis();

  // Of an integer or pointer, or a tile of them; nothing is known of other values.
  AxisFacts of(mlir::Value value) const;
  // Whether an integer is known not to be negative, as a signed number.
  bool isNonNegative(mlir::Value value) const;

 private:
  std::unique_ptr<mlir::DataFlowSolver> solver_;
};

}   // namespace tile
