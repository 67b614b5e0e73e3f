// SPDX-License-Identifier: MIT
// `tile-unroll-loops`: a loop with `tile.unroll = n` does n iterations in each trip.
//
//    for i = lower to upper step s { body(i) } {tile.unroll = 2}
//
// becomes, so that no value passes the end of the induction variable's type however the bounds lie,
//
//    trips = how often it runs, whole = trips / 2
//    for j = 0 to whole         { i = lower + j * 2s; body(i); body(i + s) }
//    for j = 2 * whole to trips { body(lower + j * s) }
//
// Where the bounds are constants: no loop at all for up to n trips, and no second one where nothing remains.
//
// The pass stands behind pipelining. Unrolled before, each copy of a product would get a channel of its own,
// and n times the shared memory; behind, the copies take turns in the slots of one channel as the trips did.
#include "compiler/analysis/trip_count.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEUNROLLLOOPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

// How often a loop with constant bounds and step runs. Nothing if one of them is not constant, or if the step
// is not positive.
std::optional<APInt> constantTrips(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.isZero())
    return std::nullopt;
  const bool isUnsigned = loop.getUnsignedCmp();
  if (!isUnsigned && step.isNegative())
    return std::nullopt;
  if (isUnsigned ? lower.uge(upper) : lower.sge(upper))
    return APInt(lower.getBitWidth(), 0);
  return (upper - lower - 1).udiv(step) + 1;
}

class Unrolling {
 public:
  Unrolling(scf::ForOp loop, uint64_t times)
      : loop_(loop), times_(times), b_(loop.getLoc(), loop.getContext()),
        type_(loop.getInductionVar().getType()) {
    b_.setInsertionPoint(loop);
  }

  void run() {
    loop_->removeAttr(ir::UnrollName);
    if (times_ == 1 || !holds(times_))   // a type too small to count to `times` has no whole trip
      return;
    // It never runs, and the simulator says so where the loop stands.
    APInt step;
    if (matchPattern(loop_.getStep(), m_ConstantInt(&step)) &&
        (loop_.getUnsignedCmp() ? step.isZero() : !step.isStrictlyPositive()))
      return;
    SmallVector<Value> carried(loop_.getInitArgs());
    if (std::optional<APInt> trips = constantTrips(loop_))
      runKnown(*trips, carried);
    else
      runUnknown(carried);
    loop_.replaceAllUsesWith(carried);
    loop_.erase();
  }

 private:
  void runKnown(const APInt &trips, SmallVector<Value> &carried) {
    if (trips.ule(times_)) {
      for (uint64_t trip = 0, end = trips.getZExtValue(); trip < end; ++trip)
        repeat(inductionAt(loop_.getLowerBound(), constant(trip)), carried);
      return;
    }
    const uint64_t all = trips.getZExtValue();
    Value whole = constant(all / times_);
    counted(constant(0), whole, times_, carried);
    if (all % times_ == 0)
      return;
    Value done = constant(all / times_ * times_);
    counted(done, constant(all), 1, carried);
  }

  void runUnknown(SmallVector<Value> &carried) {
    Value trips =
        tripCount(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), loop_.getUnsignedCmp());
    Value whole = arith::DivUIOp::create(b_, trips, constant(times_));
    Value done = arith::MulIOp::create(b_, whole, constant(times_));
    counted(constant(0), whole, times_, carried);
    counted(done, trips, 1, carried);
  }

  // for j = first to last { the body for the iterations j * times .. j * times + times - 1 }
  void counted(Value first, Value last, uint64_t times, SmallVector<Value> &carried) {
    Value stride = arith::MulIOp::create(b_, loop_.getStep(), constant(times));
    auto loop = scf::ForOp::create(b_, first, last, constant(1), carried, nullptr, /*unsignedCmp=*/true);
    loop->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(b_);
      Block *body = loop.getBody();
      if (!body->empty())
        body->back().erase();   // made where nothing is carried
      b_.setInsertionPointToEnd(body);
      Value offset = arith::MulIOp::create(b_, loop.getInductionVar(), stride);
      Value begin = arith::AddIOp::create(b_, loop_.getLowerBound(), offset);
      SmallVector<Value> values(loop.getRegionIterArgs());
      for (uint64_t k = 0; k < times; ++k)
        repeat(inductionAt(begin, constant(k)), values);
      scf::YieldOp::create(b_, values);
    }
    carried.assign(loop.result_begin(), loop.result_end());
  }

  // One iteration: from what is carried into it to what is carried out.
  void repeat(Value induction, SmallVector<Value> &carried) {
    IRMapping map;
    map.map(loop_.getInductionVar(), induction);
    map.map(loop_.getRegionIterArgs(), carried);
    for (Operation &op : loop_.getBody()->without_terminator())
      b_.clone(op, map);
    carried = llvm::map_to_vector(loop_.getYieldedValues(), [&](Value v) { return map.lookupOrDefault(v); });
  }

  Value inductionAt(Value begin, Value trip) {
    Value offset = arith::MulIOp::create(b_, trip, loop_.getStep());
    return arith::AddIOp::create(b_, begin, offset);
  }

  unsigned width() const { return type_.isIndex() ? 64 : type_.getIntOrFloatBitWidth(); }
  bool holds(uint64_t value) const { return llvm::isUIntN(width(), value); }
  Value constant(uint64_t value) {
    return arith::ConstantOp::create(b_, b_.getIntegerAttr(type_, APInt(width(), value)));
  }

  scf::ForOp loop_;
  uint64_t times_;
  ImplicitLocOpBuilder b_;
  Type type_;
};

struct UnrollLoops : ir::impl::TileUnrollLoopsBase<UnrollLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;   // inner ones first: an outer one repeats what became of them
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(ir::UnrollName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      Unrolling(loop, ir::unrollFactor(loop)).run();
  }
};

}   // namespace
}   // namespace tile
