// SPDX-License-Identifier: MIT
// Loops and branches carry registers instead of tiles; scalar ops are copied.
#include "compiler/analysis/trip_count.h"
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile::gpu {

// A loop whose step is not 1 counts its iterations: the sum of the last value and the step may pass the end
// of the type, where a comparison with the bound says nothing.
//
//    for i = lower to upper step s        for n = 0 to trips { i = lower + n * s }
static LogicalResult countedLoop(scf::ForOp loop, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  Value lower = d.registers(loop.getLowerBound()).front(), upper = d.registers(loop.getUpperBound()).front();
  Value step = d.registers(loop.getStep()).front();
  Type type = lower.getType();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  Value trips = tripCount(b, lower, upper, step, loop.getUnsignedCmp());
  auto counted = scf::ForOp::create(b, integer(0), trips, integer(1),
                                    d.values().flat(d.build(), loop.getInitArgs()), nullptr,
                                    /*unsignedCmp=*/true);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = counted.getBody();
    if (!body->empty())
      body->back().erase();   // made where nothing is carried
    b.setInsertionPointToEnd(body);
    Value n = counted.getInductionVar();
    Value i = arith::AddIOp::create(b, lower, arith::MulIOp::create(b, n, step));
    d.set(loop.getInductionVar(), {i});
    d.values().setFlat(d.build(), ValueRange(loop.getRegionIterArgs()),
                       ValueRange(counted.getRegionIterArgs()));
    if (failed(d.distribute(*loop.getBody())))
      return failure();
  }
  d.values().setFlat(d.build(), loop.getResults(), counted.getResults());
  return success();
}

// The same op with flat operands and results; its regions are filled one by one.
static LogicalResult branches(Operation *op, Distribution &d) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(d.values().flat(d.build(), op->getOperands()));
  state.addTypes(TileRegisters::flatTypes(op->getResultTypes()));
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *copy = d.build().create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(d.build());
    if (failed(d.distributeRegion(from, to)))
      return failure();
  }
  d.values().setFlat(d.build(), op->getResults(), copy->getResults());
  return success();
}

// A loop that hands on products on their way is one that goes round: whoever made it has asked. LLVM is told,
// or a way around it would meet the way out of it in front of the wait.
static void assumeRound(scf::ForOp loop, Distribution &d) {
  auto isHandedOn = [](Operation &op) {
    return op.hasAttr(InFlightName) && llvm::any_of(op.getUsers(), llvm::IsaPred<scf::YieldOp>);
  };
  if (llvm::none_of(*loop.getBody(), isHandedOn))
    return;
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  LLVM::AssumeOp::create(d.build(),
                         arith::CmpIOp::create(d.build(), less, d.registers(loop.getLowerBound()).front(),
                                               d.registers(loop.getUpperBound()).front()));
}

static LogicalResult loop(scf::ForOp loop, Distribution &d) {
  assumeRound(loop, d);
  return matchPattern(loop.getStep(), m_One()) ? branches(loop, d) : countedLoop(loop, d);
}

static LogicalResult terminator(Operation *op, Distribution &d) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(d.values().flat(d.build(), op->getOperands()));
  d.build().create(state);
  return success();
}

LogicalResult copyScalars(Operation *op, Distribution &d) {
  for (Value result : d.build().clone(*op, d.values().scalars())->getResults())
    result.setType(TileRegisters::scalarType(result.getType()));   // a choice of cursors is one of numbers
  return success();
}

void addControlFlow(Handlers &handlers) {
  handlers.add(loop);
  handlers.addFor<scf::IfOp, scf::WhileOp>(branches);
  handlers.addFor<scf::YieldOp, scf::ConditionOp>(terminator);
}

}   // namespace tile::gpu
