// SPDX-License-Identifier: MIT
#include "compiler/transforms/products_in_flight.h"

#include "compiler/analysis/trip_count.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tile {

scf::IfOp askForIterations(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  b.setInsertionPoint(loop);
  Value isAny = isAnyTrip(b, loop.getLowerBound(), loop.getUpperBound(), loop.getUnsignedCmp());
  auto branch = scf::IfOp::create(b, loop.getResultTypes(), isAny, /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  b.setInsertionPointToEnd(branch.thenBlock());
  return branch;
}

scf::ForOp keepInFlight(ImplicitLocOpBuilder &b, scf::ForOp loop, ir::DotOp dot, ArrayRef<Value> leases) {
  dot->setAttr(gpu::InFlightName, b.getUnitAttr());
  const unsigned index = loop.getTiedLoopResult(cast<BlockArgument>(dot.getAcc())).getResultNumber();
  scf::IfOp branch = askForIterations(b, loop);
  SmallVector<Value> none;
  for (Value lease : leases)
    none.push_back(
        gpu::NoLeaseOp::create(b, lease.getType(), lease.getDefiningOp<gpu::WaitOp>().getChannel()));
  loop->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  IRRewriter rewriter(b.getContext());
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>(leases); }));
  b.setInsertionPointAfter(dot);
  for (Value last : loop.getRegionIterArgs().take_back(leases.size()))
    gpu::ReleaseOp::create(b, last);
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results(loop.getResults().drop_back(leases.size()));
  results[index] = gpu::AwaitProductsOp::create(b, results[index].getType(), results[index]);
  for (Value last : loop.getResults().take_back(leases.size()))
    gpu::ReleaseOp::create(b, last);
  scf::YieldOp::create(b, results);
  return loop;
}

}   // namespace tile
