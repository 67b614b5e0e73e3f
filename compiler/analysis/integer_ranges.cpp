// SPDX-License-Identifier: MIT
#include "compiler/analysis/integer_ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile {

LogicalResult RangeAnalysis::visitOperation(Operation *op, ArrayRef<const Lattice *> operands,
                                            ArrayRef<Lattice *> results) {
  if (isa<arith::CeilDivSIOp>(op)) {
    const IntegerValueRange &dividend = operands.front()->getValue();
    if (!dividend.isUninitialized() && dividend.getValue().smin().isMinSignedValue()) {
      setAllToEntryStates(results);
      return success();
    }
  }
  return IntegerRangeAnalysis::visitOperation(op, operands, results);
}

void RangeAnalysis::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                 ArrayRef<Lattice *> arguments, unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !loop.getUnsignedCmp())
    return IntegerRangeAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
  ProgramPoint *entry = getProgramPointBefore(loop.getBody());
  IntegerValueRange lower = getLatticeElementFor(entry, loop.getLowerBound())->getValue();
  IntegerValueRange upper = getLatticeElementFor(entry, loop.getUpperBound())->getValue();
  if (lower.isUninitialized() || upper.isUninitialized())
    return;   // they come later, and then so does this
  llvm::APInt first = lower.getValue().umin(), end = upper.getValue().umax();
  Lattice *induction = arguments.front();
  if (end.ule(first))
    return setToEntryState(induction);
  IntegerValueRange range(ConstantIntRanges::fromUnsigned(first, end - 1));
  propagateIfChanged(induction, induction->join(range));
}

}   // namespace tile
