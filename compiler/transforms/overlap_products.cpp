// SPDX-License-Identifier: MIT
// `tile-gpu-overlap-products`: the second product of a chain is made an iteration behind the first.
//
//    for i { s = dot q, k[i];  p = exp(s - ...);  sums = dot p, v[i], sums * shrink }
//
// becomes, if there is any iteration,
//
//    s = dot q, k[0];  p = exp(s - ...)
//    for i = 1 .. { s = dot q, k[i] in flight;  sums = dot p, v[i - 1], sums * shrink in flight
//                   await s, one pending;  p' = exp(s - ...);  await sums }
//    sums = dot p, v[last], sums * shrink
//
// so that the unit makes the second product while the threads compute from the first one. The ops of the loop
// are divided among two steps. `behind` are the second product, what its sums go through before, and the wait
// for its block; `ahead` are all others. What `ahead` computes for `behind` the loop carries.
#include "compiler/analysis/product_chains.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/products_in_flight.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUOVERLAPPRODUCTS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

class Overlap {
 public:
  explicit Overlap(const ProductChain &chain)
      : chain_(chain), loop_(chain.loop), behind_(chain.behind), b_(loop_.getLoc(), loop_.getContext()) {}

  // Divides the loop. False if something of it is on neither side.
  bool divide() {
    for (auto dot : loop_.getOps<ir::DotOp>())
      if (dot != chain_.second && dot->hasAttr(gpu::BehindName))
        return false;
    behind_.insert(chain_.second);
    cursors_.insert(chain_.sums);
    addSlotOf(chain_.second.getB());
    // What gives each of its elements another place is done again: the loop then carries less.
    for (Operation &op : llvm::reverse(loop_.getBody()->without_terminator()))
      if (!behind_.contains(&op) && isa<ir::ExpandDimsOp, ir::BroadcastOp, ir::SplatOp>(op) &&
          llvm::any_of(op.getUsers(), [&](Operation *user) { return behind_.contains(user); }))
        again_.insert(&op);
    for (Operation &op : loop_.getBody()->without_terminator())
      if (!behind_.contains(&op))
        for (Value operand : operandsOf(op))
          if (cursors_.contains(operand) || behind_.contains(operand.getDefiningOp()))
            return false;
    for (Operation &op : loop_.getBody()->without_terminator())
      if (isBehind(op))
        for (Value operand : operandsOf(op))
          if (operand.getParentBlock() == loop_.getBody() && !cursors_.contains(operand) &&
              !(operand.getDefiningOp() && isBehind(*operand.getDefiningOp())))
            crossing_.insert(operand);
    return true;
  }

  void run() {
    scf::IfOp branch = askForIterations(b_, loop_);
    IRMapping first;
    first.map(loop_.getInductionVar(), loop_.getLowerBound());
    for (auto [argument, init] : llvm::zip(loop_.getRegionIterArgs(), loop_.getInitArgs()))
      first.map(argument, init);
    for (Operation &op : loop_.getBody()->without_terminator())
      if (!behind_.contains(&op))
        b_.clone(op, first);
    scf::ForOp steps = makeLoop(first);
    finish(steps);
    loop_.erase();
    releaseEarly(branch, steps);
  }

 private:
  static SmallVector<Value> operandsOf(Operation &op) {
    SmallVector<Value> all;
    op.walk([&](Operation *inner) { llvm::append_range(all, inner->getOperands()); });
    return all;
  }
  bool isBehind(Operation &op) const { return behind_.contains(&op) || again_.contains(&op); }

  // The wait for an operand in shared memory, its views and its release, and the cursor of its channel.
  void addSlotOf(Value operand) {
    SmallVector<Operation *> way;
    while (auto permute = operand.getDefiningOp<ir::PermuteOp>()) {
      way.push_back(permute);
      operand = permute.getValue();
    }
    auto view = operand.getDefiningOp<gpu::ViewOp>();
    auto wait = view ? view.getLease().getDefiningOp<gpu::WaitOp>() : gpu::WaitOp();
    if (!wait || wait->getBlock() != loop_.getBody())
      return;
    way.push_back(view);
    way.push_back(wait);
    behind_.insert_range(way);
    for (Operation *user : wait.getLease().getUsers())
      behind_.insert(user);
    if (auto cursor = dyn_cast<BlockArgument>(wait.getCursor());
        cursor && cursor.getOwner() == loop_.getBody())
      cursors_.insert(cursor);
    for (Operation *user : wait.getCursor().getUsers())
      if (isa<gpu::AdvanceOp>(user) && user->getBlock() == loop_.getBody())
        behind_.insert(user);
  }

  // The loop over all iterations but the first: what is carried, then what `first` computed for `behind`.
  scf::ForOp makeLoop(IRMapping &first) {
    // The sum of bound and step may pass the end of the type, and the difference of the bounds does not.
    Value lower = loop_.getLowerBound(), upper = loop_.getUpperBound(), step = loop_.getStep();
    Value isOne =
        arith::CmpIOp::create(b_, arith::CmpIPredicate::ule, arith::SubIOp::create(b_, upper, lower), step);
    Value second = arith::SelectOp::create(b_, isOne, upper, arith::AddIOp::create(b_, lower, step));
    SmallVector<Value> inits;
    for (auto [argument, next] : llvm::zip(loop_.getRegionIterArgs(), loop_.getYieldedValues()))
      inits.push_back(cursors_.contains(argument) ? first.lookup(argument) : first.lookupOrDefault(next));
    for (Value v : crossing_)
      inits.push_back(first.lookup(v));
    auto steps = scf::ForOp::create(b_, second, upper, step, inits, nullptr, loop_.getUnsignedCmp());
    steps->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(steps.getBody());
    IRMapping ahead, behind;
    ahead.map(loop_.getInductionVar(), steps.getInductionVar());
    carry(steps.getRegionIterArgs(), ahead, behind);
    // Up to the first product and with it, then all of `behind` but what follows the second one.
    Block &body = *loop_.getBody();
    auto cloneAhead = [&](Operation &op) { return b_.clone(op, ahead); };
    Operation *op = &body.front();
    for (; op != chain_.first; op = op->getNextNode())
      if (!behind_.contains(op))
        cloneAhead(*op);
    auto made = cast<ir::DotOp>(cloneAhead(*op));
    made->setAttr(gpu::InFlightName, b_.getUnitAttr());
    cloneBehind(body.front(), chain_.second, behind);
    auto added = cast<ir::DotOp>(b_.clone(*chain_.second, behind));
    added->setAttr(gpu::InFlightName, b_.getUnitAttr());
    added->removeAttr(gpu::BehindName);
    ahead.map(op->getResult(0),
              gpu::AwaitProductsOp::create(b_, made.getType(), made, /*pending=*/1U).getResult());
    // Registers that the second product still reads are written behind its end.
    SmallVector<Operation *> late;
    for (op = op->getNextNode(); op != body.getTerminator(); op = op->getNextNode())
      if (behind_.contains(op))
        continue;
      else if (isa<ir::FpCastOp>(op) && op->getResult(0) == chain_.second.getA() && op->hasOneUse())
        late.push_back(op);
      else
        cloneAhead(*op);
    gpu::ComputeFirstOp::create(b_, computedFrom(chain_.first, ahead, late));
    behind.map(chain_.second.getResult(),
               gpu::AwaitProductsOp::create(b_, added.getType(), added).getResult());
    cloneBehind(*chain_.second->getNextNode(), body.getTerminator(), behind);
    for (Operation *cast : late)
      cloneAhead(*cast);
    SmallVector<Value> yields;
    for (auto [argument, next] : llvm::zip(loop_.getRegionIterArgs(), loop_.getYieldedValues()))
      yields.push_back((cursors_.contains(argument) ? behind : ahead).lookupOrDefault(next));
    for (Value v : crossing_)
      yields.push_back(ahead.lookup(v));
    scf::YieldOp::create(b_, yields);
    return steps;
  }

  // The tiles that `ahead` hands on, of what it has computed from a product; before it casts them.
  SmallVector<Value> computedFrom(ir::DotOp product, const IRMapping &ahead, ArrayRef<Operation *> casts) {
    llvm::SetVector<Value> handedOn;
    for (auto [argument, next] : llvm::zip(loop_.getRegionIterArgs(), loop_.getYieldedValues()))
      if (!cursors_.contains(argument))
        handedOn.insert(next);
    handedOn.insert_range(crossing_);
    SmallVector<Value> computed;
    for (Value v : handedOn) {
      if (llvm::is_contained(casts, v.getDefiningOp()))
        v = v.getDefiningOp()->getOperand(0);
      Operation *op = v.getDefiningOp();
      if (op && op->getBlock() == loop_.getBody() && isa<RankedTensorType>(v.getType()) &&
          product->isBeforeInBlock(op))
        computed.push_back(ahead.lookup(v));
    }
    return computed;
  }

  // The second product of the last iteration.
  void finish(scf::ForOp steps) {
    IRMapping ahead, behind;
    carry(steps.getResults(), ahead, behind);
    cloneBehind(loop_.getBody()->front(), loop_.getBody()->getTerminator(), behind);
    SmallVector<Value> results;
    for (auto [i, argument] : llvm::enumerate(loop_.getRegionIterArgs()))
      results.push_back(cursors_.contains(argument) ? behind.lookupOrDefault(loop_.getYieldedValues()[i])
                                                    : Value(steps.getResult(static_cast<unsigned>(i))));
    scf::YieldOp::create(b_, results);
  }

  // Blocks that all iterations of `ahead` have read, as the queries of attention, are released when the last
  // of them has, and not behind the last product: the copies of the next program may begin meanwhile.
  void releaseEarly(scf::IfOp branch, scf::ForOp steps) {
    SmallVector<gpu::ReleaseOp> releases;
    for (Operation *op = branch->getNextNode(); op; op = op->getNextNode())
      if (auto release = dyn_cast<gpu::ReleaseOp>(op); release && readsEnd(release, branch, steps))
        releases.push_back(release);
    for (gpu::ReleaseOp release : releases) {
      b_.setInsertionPointAfter(steps);
      b_.clone(*release);
      b_.setInsertionPoint(branch.elseYield());
      b_.clone(*release);
      release.erase();
    }
  }
  // Whether the tiles of a slot are read in the branch alone, and there by nothing behind the loop.
  static bool readsEnd(gpu::ReleaseOp release, scf::IfOp branch, scf::ForOp steps) {
    SmallVector<Operation *> open(release.getLease().getUsers());
    while (!open.empty()) {
      Operation *user = open.pop_back_val();
      if (user == release)
        continue;
      if (isa<gpu::ViewOp, ir::PermuteOp>(user) && user->getBlock() == branch->getBlock()) {
        llvm::append_range(open, user->getUsers());
        continue;
      }
      Operation *within = branch.thenBlock()->findAncestorOpInBlock(*user);
      if (!within || (within != steps && !within->isBeforeInBlock(steps)))
        return false;
    }
    return true;
  }

  // What the new loop carries or gives, for both steps.
  void carry(ValueRange carried, IRMapping &ahead, IRMapping &behind) {
    for (auto [argument, value] : llvm::zip(loop_.getRegionIterArgs(), carried))
      (cursors_.contains(argument) ? behind : ahead).map(argument, value);
    for (auto [v, value] : llvm::zip(crossing_, carried.take_back(crossing_.size())))
      behind.map(v, value);
  }
  void cloneBehind(Operation &from, Operation *to, IRMapping &map) {
    for (Operation *op = &from; op != to; op = op->getNextNode())
      if (isBehind(*op))
        b_.clone(*op, map)->removeAttr(gpu::BehindName);
  }

  ProductChain chain_;
  scf::ForOp loop_;
  llvm::SetVector<Operation *> behind_;
  llvm::SmallPtrSet<Operation *, 4> again_;   // ops of `ahead` that `behind` does again
  llvm::SmallPtrSet<Value, 2> cursors_;       // of the loop's values those that `behind` hands on
  llvm::SetVector<Value> crossing_;
  ImplicitLocOpBuilder b_;
};

struct OverlapProducts : ir::impl::TileGpuOverlapProductsBase<OverlapProducts> {
  void runOnOperation() override {
    while (ir::DotOp dot = innermost()) {
      std::optional<ProductChain> chain = chainOf(dot);
      std::optional<Overlap> overlap;
      if (chain)
        overlap.emplace(*chain);
      if (!overlap || !overlap->divide()) {
        dot->emitError(
            "the plan of this kernel cannot be followed: `tile_gpu.behind` needs a product that "
            "multiplies what is computed from another one of its loop by a block that nothing else "
            "reads, and sums that the loop only hands on; of a loop, one product can be behind");
        return signalPassFailure();
      }
      overlap->run();
    }
  }

 private:
  // A product that is to be behind, in whose loop no other loop has one; null where there is no such product.
  ir::DotOp innermost() {
    SmallVector<ir::DotOp> marked;
    getOperation().walk([&](ir::DotOp dot) {
      if (dot->hasAttr(gpu::BehindName))
        marked.push_back(dot);
    });
    for (ir::DotOp dot : marked)
      if (llvm::none_of(marked, [&](ir::DotOp other) {
            return other->getParentOp() != dot->getParentOp() && dot->getParentOp()->isAncestor(other);
          }))
        return dot;
    return nullptr;
  }
};

}   // namespace
}   // namespace tile
