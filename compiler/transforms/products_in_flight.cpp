// SPDX-License-Identifier: MIT
#include "compiler/transforms/products_in_flight.h"

#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tile {

bool mayStayInFlight(ir::DotOp dot, scf::ForOp loop) {
  auto sums = dyn_cast<BlockArgument>(dot.getAcc());
  return sums && sums.getOwner() == loop.getBody() && sums.hasOneUse() && dot->hasOneUse() &&
         loop.getTiedLoopYieldedValue(sums)->get() == dot.getResult() && dot.getMaxImpreciseAcc() == 0 &&
         ir::unrollFactor(loop) <= 1;
}

void keepInFlight(ImplicitLocOpBuilder &b, scf::ForOp loop, ir::DotOp dot, Value lease) {
  dot->setAttr(gpu::InFlightName, b.getUnitAttr());
  const unsigned index = loop.getTiedLoopResult(cast<BlockArgument>(dot.getAcc())).getResultNumber();
  b.setInsertionPoint(loop);
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value isAny = arith::CmpIOp::create(b, less, loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loop.getResultTypes(), isAny, /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  b.setInsertionPointToEnd(branch.thenBlock());
  Value none = gpu::NoLeaseOp::create(b, lease.getType(), lease.getDefiningOp<gpu::WaitOp>().getChannel());
  loop->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  IRRewriter rewriter(b.getContext());
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{lease}; }));
  b.setInsertionPointAfter(dot);
  gpu::ReleaseOp::create(b, loop.getRegionIterArgs().back());
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results(loop.getResults().drop_back());
  results[index] = gpu::AwaitProductsOp::create(b, results[index].getType(), results[index]);
  gpu::ReleaseOp::create(b, loop.getResults().back());
  scf::YieldOp::create(b, results);
}

}   // namespace tile
