// SPDX-License-Identifier: MIT
#include "compiler/analysis/integer_ranges.h"

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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
  if (isa<gpu::CtaRankOp>(op)) {
    const unsigned width = 32, ctas = gpu::clusterOf(op);
    IntegerValueRange range(
        ConstantIntRanges::fromUnsigned(llvm::APInt(width, 0), llvm::APInt(width, ctas - 1)));
    propagateIfChanged(results.front(), results.front()->join(range));
    return success();
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

void RangeAnalysis::setToEntryState(Lattice *lattice) {
  auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
  auto kernel = argument && argument.getOwner()->isEntryBlock()
                    ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
                    : FunctionOpInterface();
  auto type = argument ? dyn_cast<IntegerType>(argument.getType()) : IntegerType();
  if (!kernel || !type)
    return IntegerRangeAnalysis::setToEntryState(lattice);
  auto multiple = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tile.divisibility");
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tile.type");
  if (!multiple || !name || !name.getValue().starts_with("i"))
    return IntegerRangeAnalysis::setToEntryState(lattice);
  unsigned width = type.getWidth();
  IntegerValueRange range(
      ConstantIntRanges::fromSigned(llvm::APInt(width, static_cast<std::uint64_t>(multiple.getInt())),
                                    llvm::APInt::getSignedMaxValue(width)));
  propagateIfChanged(lattice, lattice->join(range));
}

}   // namespace tile
