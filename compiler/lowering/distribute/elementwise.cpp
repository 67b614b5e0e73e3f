// SPDX-License-Identifier: MIT
// Ops that compute each element from the same element of their operands: once per register.
#include "compiler/lowering/distribute/distribution.h"

using namespace mlir;

namespace tile::gpu {

LogicalResult repeatForRegisters(Operation *op, Distribution &d) {
  size_t count = static_cast<size_t>(layoutOf(op->getResult(0)).places());
  SmallVector<Registers> results(op->getNumResults());
  for (size_t reg = 0; reg < count; ++reg) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands()) {
      ArrayRef<Value> from = d.registers(operand);
      state.operands.push_back(from.size() == 1 ? from.front() : from[reg]);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(ir::getElementType(type));
    state.addAttributes(op->getAttrs());
    Operation *scalar = d.build().create(state);
    for (auto [all, one] : llvm::zip(results, scalar->getResults()))
      all.push_back(one);
  }
  for (auto [result, all] : llvm::zip(op->getResults(), results))
    d.set(result, std::move(all));
  return success();
}

// Elementwise, although it does not have the trait.
static LogicalResult philox(ir::PhiloxOp op, Distribution &d) {
  return isTile(op.getResult(0)) ? repeatForRegisters(op, d) : copyScalars(op, d);
}

// Runs lie along an axis of the tile. The layouts have used them (compiler/analysis/axis_analysis.h), and a
// register has no axis. The other facts hold for each element.
static LogicalResult assume(ir::AssumeOp op, Distribution &d) {
  if (!isTile(op.getResult()))
    return copyScalars(op, d);
  Registers facts;
  const bool isOfElements = op.getDivisible() || op.getRange();
  for (Value element : d.registers(op.getValue()))
    facts.push_back(isOfElements ? Value(ir::AssumeOp::create(d.build(), element.getType(), element,
                                                              op.getDivisibleAttr(), IntegerAttr(),
                                                              IntegerAttr(), op.getRangeAttr()))
                                 : element);
  d.set(op.getResult(), std::move(facts));
  return success();
}

void addElementwise(Handlers &handlers) {
  handlers.add(assume);
  handlers.add(philox);
}

}   // namespace tile::gpu
