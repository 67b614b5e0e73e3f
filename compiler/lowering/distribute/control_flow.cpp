// SPDX-License-Identifier: MIT
// Loops and branches carry registers instead of tiles; scalar ops are copied.
#include "compiler/analysis/trip_count.h"
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {

// Block arguments become registers, then the ops follow.
LogicalResult Distribution::distributeRegion(Region &from, Region &to) {
  Block *block = to.empty() ? builder_.createBlock(&to) : &to.front();
  if (block->getNumArguments() == 0)
    for (BlockArgument argument : from.getArguments())
      for (Type type : flatTypes(argument.getType()))
        block->addArgument(type, argument.getLoc());
  setFlat(ValueRange(from.getArguments()), ValueRange(block->getArguments()));
  builder_.setInsertionPointToEnd(block);
  return distribute(from.front());
}

// A loop whose step is not 1 counts its iterations: the sum of the last value and the step may pass the end
// of the type, where a comparison with the bound says nothing.
//
//    for i = lower to upper step s        for n = 0 to trips { i = lower + n * s }
LogicalResult Distribution::countedLoop(scf::ForOp loop) {
  Value lower = registers(loop.getLowerBound()).front(), upper = registers(loop.getUpperBound()).front();
  Value step = registers(loop.getStep()).front();
  Type type = lower.getType();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder_, builder_.getIntegerAttr(type, value));
  };
  Value trips = tripCount(builder_, lower, upper, step, loop.getUnsignedCmp());
  auto counted =
      scf::ForOp::create(builder_, integer(0), trips, integer(1), flat(loop.getInitArgs()), nullptr,
                         /*unsignedCmp=*/true);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(builder_);
    Block *body = counted.getBody();
    if (!body->empty())
      body->back().erase();   // made where nothing is carried
    builder_.setInsertionPointToEnd(body);
    Value n = counted.getInductionVar();
    Value i = arith::AddIOp::create(builder_, lower, arith::MulIOp::create(builder_, n, step));
    set(loop.getInductionVar(), {i});
    setFlat(ValueRange(loop.getRegionIterArgs()), ValueRange(counted.getRegionIterArgs()));
    if (failed(distribute(*loop.getBody())))
      return failure();
  }
  setFlat(loop.getResults(), counted.getResults());
  return success();
}

LogicalResult Distribution::controlFlow(Operation *op, bool &handled) {
  handled = true;
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && !matchPattern(loop.getStep(), m_One()))
    return countedLoop(loop);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    // The same op with flat operands and results; its regions are filled one by one.
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(flat(op->getOperands()));
    state.addTypes(flatTypes(op->getResultTypes()));
    state.addAttributes(op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *copy = builder_.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder_);
      if (failed(distributeRegion(from, to)))
        return failure();
    }
    setFlat(op->getResults(), copy->getResults());
    return success();
  }
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(flat(op->getOperands()));
    builder_.create(state);
    return success();
  }
  auto isTileType = [](Type type) { return isa<RankedTensorType>(type); };
  if (op->getNumRegions() == 0 && llvm::none_of(op->getOperandTypes(), isTileType) &&
      llvm::none_of(op->getResultTypes(), isTileType) && !isa<ir::LoadOp, ir::StoreOp>(op)) {
    builder_.clone(*op, scalars_);
    return success();
  }
  handled = false;
  return success();
}

}   // namespace tile::gpu
