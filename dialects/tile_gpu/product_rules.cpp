// SPDX-License-Identifier: MIT
// The queue of products. One that is marked is awaited by the next one, which is begun before it, or by
// await_products:
//
//    for { sum = dot ..., sum in flight; release last; last = lease }   sums = await sum   release last
//    s = dot ... in flight; sums = dot ... in flight; await s, one pending; release of s; await sums
//
// No assembler says that a wait is missing: it puts one where it sees that it must, and takes speed for it,
// or reads registers that are still written.
#include "dialects/tile_gpu/product_rules.h"

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {
namespace {

bool isInFlight(Operation *op) { return isa<ir::DotOp>(op) && op->hasAttr(InFlightName); }

// Whether the product waits for those before it when it has begun. One that is awaited further down does not.
bool awaitsOthers(Operation *op) {
  return isInFlight(op) && !llvm::all_of(op->getUsers(), llvm::IsaPred<AwaitProductsOp>);
}

// Whether the product is over behind an op, or behind one between both in their block.
bool isOverAt(ir::DotOp product, Operation *end) {
  unsigned begun = 0;   // since
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    auto await = dyn_cast<AwaitProductsOp>(op);
    if (awaitsOthers(op) || (await && await.getPending() <= begun))
      return true;
    if (op == end)
      return false;
    begun += isInFlight(op);
  }
  return false;
}

// Whether all products from before the block are over in front of the op.
bool isOverBefore(Operation *op) {
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    auto await = dyn_cast<AwaitProductsOp>(before);
    if (awaitsOthers(before) || (await && await.getPending() == 0))
      return true;
  }
  return false;
}

class ProductRules {
 public:
  explicit ProductRules(ir::DotOp product) : product_(product) {}

  LogicalResult check() {
    if (failed(checkSums(product_.getResult())))
      return failure();
    for (Value operand : {product_.getA(), product_.getB()}) {
      while (auto transposed = operand.getDefiningOp<ir::PermuteOp>())
        operand = transposed->getOperand(0);
      if (auto view = operand.getDefiningOp<ViewOp>(); view && failed(checkLease(view.getLease())))
        return failure();
    }
    return success();
  }

 private:
  InFlightDiagnostic refuse(Operation *op, const char *why) {
    InFlightDiagnostic error = op->emitOpError(why);
    if (op != product_)
      error.attachNote(product_.getLoc()) << "the product begins here";
    return error;
  }

  // Of registers that may still be written.
  LogicalResult checkSums(Value sums) {
    if (sums.use_empty())
      return refuse(product_, "runs asynchronously and is never awaited: await_products is missing");
    for (OpOperand &use : sums.getUses()) {
      Operation *user = use.getOwner();
      if (auto await = dyn_cast<AwaitProductsOp>(user)) {
        if (await.getPending() == 0 || (user->getBlock() == product_->getBlock() && isOverAt(product_, user)))
          continue;
        return refuse(user, "lets more products go on than were begun since, so this one may still write its "
                            "sums; lower `pending`");
      }
      if ((isInFlight(user) && cast<ir::DotOp>(user).getAcc() == sums))
        continue;
      auto loop = isa<scf::YieldOp>(user) ? dyn_cast<scf::ForOp>(user->getParentOp()) : scf::ForOp();
      const unsigned index = use.getOperandNumber();
      if (!loop || index >= loop->getNumResults() || index >= loop.getRegionIterArgs().size())
        return refuse(user, "uses the sums of a product that is in flight; use the result of await_products");
      if (!isSeen(loop.getResult(index)) && failed(checkSums(loop.getResult(index))))
        return failure();
      BlockArgument carried = loop.getRegionIterArgs()[index];
      if (!isSeen(carried) && !carried.use_empty() && failed(checkSums(carried)))
        return failure();
    }
    return success();
  }

  LogicalResult checkLease(Value lease) {
    for (OpOperand &use : lease.getUses()) {
      Operation *user = use.getOwner();
      if (isa<ReleaseOp>(user) && user->getBlock() == product_->getBlock() &&
          product_->isBeforeInBlock(user) && !isOverAt(product_, user))
        return tooEarly(user);
      auto loop = isa<scf::YieldOp>(user) ? dyn_cast<scf::ForOp>(user->getParentOp()) : scf::ForOp();
      const unsigned index = use.getOperandNumber();
      if (!loop || index >= loop->getNumResults() || index >= loop.getRegionIterArgs().size())
        continue;
      for (Value handedOn : {Value(loop.getRegionIterArgs()[index]), Value(loop.getResult(index))})
        for (Operation *next : handedOn.getUsers())
          if (isa<ReleaseOp>(next) && !isOverBefore(next))
            return tooEarly(next);
    }
    return success();
  }
  LogicalResult tooEarly(Operation *release) {
    return refuse(release, "releases a slot that a product in flight may still read; release it after the "
                           "next product, or after await_products");
  }

  bool isSeen(Value sums) { return !seen_.insert(sums).second; }

  ir::DotOp product_;
  llvm::SmallDenseSet<Value> seen_;
};

}   // namespace

LogicalResult verifyProductsInFlight(Region &program) {
  return failure(program
                     .walk([](ir::DotOp product) -> WalkResult {
                       return isInFlight(product) ? ProductRules(product).check() : success();
                     })
                     .wasInterrupted());
}

}   // namespace tile::gpu
