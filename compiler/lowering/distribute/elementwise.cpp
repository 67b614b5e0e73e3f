// SPDX-License-Identifier: MIT
// Ops that compute each element from the same element of their operands: once per register.
#include "compiler/lowering/distribute/distribution.h"

using namespace mlir;

namespace tile::gpu {

LogicalResult Distribution::elementwise(Operation *op, bool &handled) {
  if (!op->hasTrait<OpTrait::Elementwise>() && !isa<ir::AssumeOp, ir::PhiloxOp>(op))
    return success();
  handled = true;
  size_t count = static_cast<size_t>(layoutOf(op->getResult(0)).places());
  SmallVector<Registers> results(op->getNumResults());
  for (size_t reg = 0; reg < count; ++reg) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands()) {
      ArrayRef<Value> from = registers(operand);
      state.operands.push_back(from.size() == 1 ? from.front() : from[reg]);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(ir::getElementType(type));
    state.addAttributes(op->getAttrs());
    Operation *scalar = builder_.create(state);
    for (auto [all, one] : llvm::zip(results, scalar->getResults()))
      all.push_back(one);
  }
  for (auto [result, all] : llvm::zip(op->getResults(), results))
    set(result, std::move(all));
  return success();
}

}   // namespace tile::gpu
