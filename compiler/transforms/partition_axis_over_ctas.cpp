// SPDX-License-Identifier: MIT
// `tile-gpu-partition-axis-over-ctas`: the CTAs of a cluster share the tiles of a program that has no
// products.
//
//    x : 16384 = load(p + arange(0, 16384))              one CTA
//    m = reduce(x)
//
//    x : 4096 = load(p + arange(0, 4096) + 4096 * rank)   each of four
//    m = reduce(x) over the CTAs
//
// One axis is divided: the longest that a reduction combines, else the longest of a tile that is stored. What
// hangs together with it element by element is divided along it, from the numbers of elements to the stores.
// A reduction along it is combined over the CTAs, so that all of them have the result. All else is computed
// by each CTA alike. What changes memory without the axis, such as a store of a row's sum, CTA 0 does alone.
#include "compiler/analysis/kernel_form.h"
#include "compiler/transforms/numbers_of_ctas.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUPARTITIONAXISOVERCTAS
#include "compiler/transforms/passes.h.inc"

namespace {

// Tiles that are made of no other tile.
bool isSource(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return isa<SplatOp, ArangeOp>(op) || (constant && isa<SplatElementsAttr>(constant.getValue()));
}

bool isAccess(Operation *op) { return isa<LoadOp, StoreOp, AtomicRmwOp, AtomicCasOp>(op); }

class AxisPartition {
 public:
  AxisPartition(func::FuncOp kernel, unsigned ctas)
      : kernel_(kernel), ctas_(ctas), b_(kernel.getLoc(), kernel.getContext()) {}

  // Divides the tiles. What cannot be divided is told.
  LogicalResult run() {
    makeSourcesOwn();
    if (failed(divideLongest()))
      return failure();
    while (!open_.empty()) {
      auto [v, axis] = open_.pop_back_val();
      if (failed(follow(v, axis)))
        return failure();
    }
    SmallVector<Operation *> ofOne;
    if (failed(collectChanges(ofOne)))
      return failure();
    rewrite(ofOne);
    return success();
  }

 private:
  // Tiles that use the same constant or the same numbers do not hang together for it.
  void makeSourcesOwn() {
    SmallVector<Operation *> sources;
    kernel_.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && !op->use_empty() && isa<RankedTensorType>(op->getResult(0).getType()) &&
          isSource(op))
        sources.push_back(op);
    });
    for (Operation *op : sources) {
      b_.setInsertionPointAfter(op);
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
        use.set(b_.clone(*op)->getResult(0));
    }
  }

  LogicalResult divideLongest() {
    Value longest;
    unsigned along = 0;
    auto consider = [&](Value v, unsigned axis) {
      if (isa<RankedTensorType>(v.getType()) && (!longest || extentOf(v, axis) > extentOf(longest, along)))
        longest = v, along = axis;
    };
    kernel_.walk([&](ReduceOp reduce) { consider(reduce.getValues().front(), reduce.getAxis()); });
    if (!longest)
      kernel_.walk([&](StoreOp store) {
        for (unsigned axis = 0; axis < getShape(store.getPtr().getType()).size(); ++axis)
          consider(store.getPtr(), axis);
      });
    return longest ? divide(longest, along)
                   : kernel_.emitError("this kernel has no tile that ")
                         << ctas_ << " CTAs could share: it reduces and stores none; use num_ctas = 1";
  }

  static int64_t extentOf(Value v, unsigned axis) { return getShape(v.getType())[axis]; }

  static Operation *ownerOf(Value v) {
    return v.getDefiningOp() ? v.getDefiningOp() : v.getParentBlock()->getParentOp();
  }

  LogicalResult refuse(Operation *op, const Twine &why) {
    return op->emitError("here an axis cannot be divided among ")
           << ctas_ << " CTAs: " << why << "; use num_ctas = 1";
  }

  LogicalResult divide(Value v, unsigned axis) {
    if (!isa<RankedTensorType>(v.getType()))
      return success();
    auto [it, isNew] = divided_.insert({v, axis});
    if (!isNew)
      return it->second == axis ? success()
                                : refuse(ownerOf(v), "the same elements lie along two axes of a tile");
    if (extentOf(v, axis) % ctas_ != 0)
      return refuse(ownerOf(v), "it has " + Twine(extentOf(v, axis)) + " elements");
    open_.push_back({v, axis});
    return success();
  }
  LogicalResult divide(ValueRange values, unsigned axis) {
    for (Value v : values)
      if (failed(divide(v, axis)))
        return failure();
    return success();
  }
  // All tiles that an op takes and gives.
  LogicalResult divideAll(Operation *op, unsigned axis) {
    return success(succeeded(divide(op->getOperands(), axis)) && succeeded(divide(op->getResults(), axis)));
  }

  LogicalResult follow(Value v, unsigned axis) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (failed(loop ? around(loop, argument.getArgNumber() - 1, axis)
                      : refuse(ownerOf(v), "this loop hands tiles on, and its number of trips is not known")))
        return failure();
    } else if (failed(followBack(cast<OpResult>(v), axis))) {
      return failure();
    }
    for (OpOperand &use : v.getUses())
      if (failed(followUse(use, axis)))
        return failure();
    return success();
  }

  // To what a result is made of.
  LogicalResult followBack(OpResult v, unsigned axis) {
    Operation *op = v.getOwner();
    if (isElementwise(op) || isAccess(op))
      return divideAll(op, axis);
    if (isSource(op))
      return success();
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](scf::ForOp loop) { return around(loop, v.getResultNumber(), axis); })
        .Case([&](scf::IfOp branch) { return ofBranches(branch, v.getResultNumber(), axis); })
        .Case([&](ReduceOp reduce) {
          const unsigned of = axis < reduce.getAxis() ? axis : axis + 1;
          return success(succeeded(divide(reduce.getValues(), of)) &&
                         succeeded(divide(reduce.getResults(), axis)));
        })
        .Case([&](ExpandDimsOp expand) {
          return divide(expand.getValue(), axis - (axis > static_cast<unsigned>(expand.getAxis()) ? 1 : 0));
        })
        .Case([&](BroadcastOp spread) {
          return extentOf(spread.getValue(), axis) == 1 ? success() : divide(spread.getValue(), axis);
        })
        .Case([&](PermuteOp permute) {
          return divide(permute.getValue(), static_cast<unsigned>(permute.getOrder()[axis]));
        })
        .Case<JoinOp, SplitOp>([&](Operation *pairs) { return divideAll(pairs, axis); })
        .Default([&](Operation *other) { return refuseOther(other); });
  }

  // To what is made of a tile.
  LogicalResult followUse(OpOperand &use, unsigned axis) {
    Operation *op = use.getOwner();
    if (isElementwise(op) || isAccess(op))
      return divideAll(op, axis);
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](scf::ForOp loop) {
          return around(loop, use.getOperandNumber() - loop.getNumControlOperands(), axis);
        })
        .Case([&](scf::YieldOp yield) {
          if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
            return around(loop, use.getOperandNumber(), axis);
          if (auto branch = dyn_cast<scf::IfOp>(yield->getParentOp()))
            return ofBranches(branch, use.getOperandNumber(), axis);
          return refuseOther(yield->getParentOp());
        })
        .Case([&](ReduceOp reduce) {
          const unsigned along = reduce.getAxis();
          if (failed(divide(reduce.getValues(), axis)))
            return failure();
          return axis == along ? success() : divide(reduce.getResults(), axis - (axis > along ? 1 : 0));
        })
        .Case([&](ExpandDimsOp expand) {
          return divide(expand.getResult(), axis + (axis >= static_cast<unsigned>(expand.getAxis()) ? 1 : 0));
        })
        .Case([&](BroadcastOp spread) { return divide(spread.getResult(), axis); })
        .Case([&](PermuteOp permute) {
          const auto at = llvm::find(permute.getOrder(), static_cast<int32_t>(axis));
          return divide(permute.getResult(), static_cast<unsigned>(at - permute.getOrder().begin()));
        })
        .Case([&](SplitOp split) {
          return axis + 1 == getShape(split.getValue().getType()).size()
                     ? refuse(split, "each CTA would have one half of the pairs")
                     : divideAll(split, axis);
        })
        .Case([&](JoinOp join) { return divideAll(join, axis); })
        .Default([&](Operation *other) { return refuseOther(other); });
  }

  LogicalResult refuseOther(Operation *op) {
    return refuse(op, isa<AssertOp>(op) ? "the CTAs that go on would wait for one whose elements fail"
                      : isa<DotOp>(op)
                          ? "only products of blocks that are loaded through descriptors are shared"
                          : "this operation needs the elements of all of them");
  }

  LogicalResult around(scf::ForOp loop, unsigned index, unsigned axis) {
    return divide({loop.getInitArgs()[index], Value(loop.getRegionIterArg(index)),
                   loop.getYieldedValues()[index], Value(loop.getResult(index))},
                  axis);
  }
  LogicalResult ofBranches(scf::IfOp branch, unsigned index, unsigned axis) {
    return divide({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index),
                   Value(branch.getResult(index))},
                  axis);
  }

  // What changes memory, but for elements of the axis: once for all CTAs.
  LogicalResult collectChanges(SmallVector<Operation *> &ofOne) {
    WalkResult walked = kernel_.getBody().walk([&](Operation *op) -> WalkResult {
      if (isa<BarrierOp, AssertOp>(op) || isPromise(op) || isMemoryEffectFree(op) ||
          op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || hasSingleEffect<MemoryEffects::Read>(op) ||
          (isAccess(op) && divided_.contains(op->getOperand(0))))
        return WalkResult::advance();
      if (!isAccess(op) && !isa<PrintOp>(op))
        return WalkResult(refuse(op, "each of them would change memory that the program changes once"));
      if (!op->use_empty())
        return WalkResult(refuse(op, "one of them changes this memory, and the others need what it finds"));
      ofOne.push_back(op);
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  void rewrite(ArrayRef<Operation *> ofOne) {
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    Value rank = gpu::CtaRankOp::create(b_, b_.getI32Type());
    kernel_.walk([&](ReduceOp reduce) {   // before the numbers of `arange` get others in their place
      const auto found = divided_.find(reduce.getValues().front());
      if (found != divided_.end() && found->second == static_cast<unsigned>(reduce.getAxis()))
        reduce->setAttr(gpu::OverCtasName, b_.getUnitAttr());
    });
    for (auto [v, axis] : divided_)
      takePart(v, axis, ctas_, rank);
    for (Operation *op : ofOne) {
      b_.setInsertionPoint(op);
      b_.setLoc(op->getLoc());
      Value zero = arith::ConstantOp::create(b_, b_.getI32IntegerAttr(0));
      Value isFirst = arith::CmpIOp::create(b_, arith::CmpIPredicate::eq, rank, zero);
      auto alone = scf::IfOp::create(b_, isFirst, /*withElseRegion=*/false);
      op->moveBefore(alone.thenBlock()->getTerminator());
    }
  }

  func::FuncOp kernel_;
  unsigned ctas_;
  ImplicitLocOpBuilder b_;
  llvm::MapVector<Value, unsigned> divided_;   // and along which axis
  SmallVector<std::pair<Value, unsigned>> open_;
};

bool hasRoles(func::FuncOp kernel) {
  return kernel.walk([](gpu::RolesOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct PartitionAxisOverCtas : impl::TileGpuPartitionAxisOverCtasBase<PartitionAxisOverCtas> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const unsigned ctas = numCtas(kernel);
    if (kernel.isExternal() || ctas == 1 || kernel->hasAttr(gpu::PlanName) || hasRoles(kernel))
      return;
    if (failed(checkTiles(kernel)) || failed(AxisPartition(kernel, ctas).run()))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::ir
