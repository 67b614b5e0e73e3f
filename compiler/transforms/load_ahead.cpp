// SPDX-License-Identifier: MIT
// `tile-gpu-load-ahead`: what threads load beside a product is loaded an iteration ahead.
//
//    for k { s = load(scales + k); sum += dot(a, b) * s }                                     before
//
//    s = load(scales + first)                                                                 after
//    for k, s { next = load(scales + k + step) if there is such an iteration; sum += dot(a, b) * s; yield
//    next }
//
// Memory answers while the product is made. Only in a role that multiplies, whose slots another role fills:
// in other loops the copies themselves run ahead (`tile-gpu-pipeline-loops`), and take what their pointers
// need with them. A load that takes more than a few registers of a thread stays where it is, and so does one
// whose pointers depend on what the loop carries, or that the loop may write to.
#include "compiler/analysis/trip_count.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPULOADAHEAD
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

constexpr std::int64_t MostRegisters = 4;   // of a thread, for each load

bool isShort(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || gpu::getLayoutAttr(tile).getLayout().places() <= MostRegisters;
}

// Whether a later load may see what an earlier one did not: the loop writes to global memory, or waits for
// others who do.
bool mayChangeGlobalMemory(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return isa<ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp, ir::BarrierOp, gpu::StoreBoxOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

class LoadsAhead {
 public:
  explicit LoadsAhead(scf::ForOp loop) : loop_(loop), b_(loop.getLoc(), loop.getContext()) {}

  void run() {
    for (auto load : loop_.getOps<ir::LoadOp>())
      if (!load.getIsVolatile() && isShort(load.getType()) && addSlice(load))
        loads_.push_back(load);
    if (loads_.empty())
      return;
    b_.setInsertionPoint(loop_);
    Value isAny = isAnyTrip(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getUnsignedCmp());
    const SmallVector<Value> first = loadedAt(loop_.getLowerBound(), isAny);

    b_.setInsertionPointToStart(loop_.getBody());
    Value left = arith::SubIOp::create(b_, loop_.getUpperBound(), loop_.getInductionVar());
    Value isNext = arith::CmpIOp::create(b_, arith::CmpIPredicate::ugt, left, loop_.getStep());
    Value at = arith::AddIOp::create(b_, loop_.getInductionVar(), loop_.getStep());
    const SmallVector<Value> next = loadedAt(at, isNext);

    IRRewriter rewriter(b_.getContext());
    auto carried = cast<scf::ForOp>(*loop_.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return next; }));
    // In two iterations by turns, what is loaded has registers of its own. Otherwise it moves from those of
    // the next iteration to those of this one, and the move waits for it while the product is still to be
    // made.
    if (!carried->hasAttr(ir::UnrollName))
      carried->setAttr(ir::UnrollName, b_.getI32IntegerAttr(2));
    for (auto [load, argument] : llvm::zip(loads_, carried.getRegionIterArgs().take_back(loads_.size()))) {
      load.replaceAllUsesWith(argument);
      load.erase();
    }
  }

 private:
  // What a load's operands are computed from in the loop. False: they depend on more than the iteration.
  bool addSlice(ir::LoadOp load) {
    llvm::SmallSetVector<Operation *, 16> slice;
    auto add = [&](auto &self, Value v) -> bool {
      if (v == loop_.getInductionVar() || loop_.isDefinedOutsideOfLoop(v))
        return true;
      Operation *op = v.getDefiningOp();
      if (!op || op->getBlock() != loop_.getBody() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
        return false;
      if (slice_.contains(op) || slice.contains(op))
        return true;
      if (!llvm::all_of(op->getOperands(), [&](Value operand) { return self(self, operand); }))
        return false;
      slice.insert(op);
      return true;
    };
    if (!llvm::all_of(load->getOperands(), [&](Value operand) { return add(add, operand); }))
      return false;
    slice_.insert_range(slice);
    return true;
  }

  // The loads of the iteration in which the induction variable is `at`, where there is such an iteration.
  SmallVector<Value> loadedAt(Value at, Value exists) {
    IRMapping map;
    map.map(loop_.getInductionVar(), at);
    for (Operation *op : slice_)
      b_.clone(*op, map);
    SmallVector<Value> values;
    for (ir::LoadOp load : loads_) {
      b_.setLoc(load.getLoc());
      auto copy = cast<ir::LoadOp>(b_.clone(*load, map));
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPoint(copy);
      Value mask = exists;
      if (auto tile = dyn_cast<RankedTensorType>(load.getPtr().getType()))
        mask = ir::SplatOp::create(b_, tile.clone(b_.getI1Type()), exists);
      if (copy.getMask())
        mask = arith::AndIOp::create(b_, copy.getMask(), mask);
      copy.getMaskMutable().assign(mask);
      values.push_back(copy);
    }
    return values;
  }

  scf::ForOp loop_;
  ImplicitLocOpBuilder b_;
  SmallVector<ir::LoadOp> loads_;
  llvm::SmallSetVector<Operation *, 16> slice_;   // in their order
};

struct LoadAhead : ir::impl::TileGpuLoadAheadBase<LoadAhead> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->getParentOfType<gpu::RolesOp>() && !loop.getOps<ir::DotOp>().empty() &&
          !mayChangeGlobalMemory(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      LoadsAhead(loop).run();
  }
};

}   // namespace
}   // namespace tile
