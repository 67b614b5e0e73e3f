// SPDX-License-Identifier: MIT
// `tile-gpu-load-ahead`: threads load an iteration ahead.
//
//    for k { s = load(scales + k); sum += dot(a, b) * s }                                     before
//
//    s = load(scales + first)                                                                 after
//    for k, s { next = load(scales + k + step) if there is such an iteration; sum += dot(a, b) * s; yield
//    next }
//
// Memory answers while the product is made. This is done in three kinds of loops:
//
// * In a role that multiplies, whose slots another role fills. In other loops of products the copies
//   themselves run ahead (`tile-gpu-pipeline-loops`), and take what their pointers need with them.
// * In kernels without products, in innermost loops that do not write.
// * In kernels without products, in the loop over programs. Programs do not see each other's stores, so the
//   loads of the next program may pass the stores of this one.
//
// In the last two kinds, what all iterations load is loaded once, before the loop. A load that takes too many
// registers of a thread stays where it is, and so does one whose pointers depend on what the loop carries, or
// which may see what its own iteration has stored. A store into a buffer that is promised to be another one
// (`tile.assume_apart`) is no obstacle.
#include "compiler/analysis/apart_buffers.h"
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

constexpr std::int64_t MostRegistersBesideProduct = 4;   // of a thread, for each load

bool contains(Operation *around, function_ref<bool(Operation *)> isOne) {
  return around
      ->walk([&](Operation *op) { return isOne(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

// Whether a load of the loop that is behind an op may see what one before it did not: the op writes to global
// memory, or waits for others who do.
bool mayChangeLoads(scf::ForOp loop, Operation *op, const ApartBuffers &apart) {
  return contains(op, [&](Operation *inner) {
    return isa<ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp, ir::BarrierOp, gpu::StoreBoxOp>(inner) &&
           llvm::any_of(loop.getOps<ir::LoadOp>(),
                        [&](ir::LoadOp load) { return !apart.keepApart(load, inner); });
  });
}

// Registers of 32 bits that what is loaded takes of each thread. Small elements stay in the words that memory
// gave (`tile-gpu-carry-words`).
std::int64_t registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  const std::int64_t places = tile ? gpu::getLayoutAttr(tile).getLayout().places() : 1;
  Type element = ir::getElementType(type);
  const std::int64_t bits = isa<ir::PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(places * bits, 32);
}

// What is loaded ahead in a loop.
struct Bound {
  std::int64_t registersOfLoad, registers;   // of a thread: for each load, and for all of them
  bool isBesideProduct;                      // else what all iterations load leaves the loop
};

class LoadsAhead {
 public:
  LoadsAhead(scf::ForOp loop, Bound bound, const ApartBuffers &apart)
      : loop_(loop), bound_(bound), apart_(apart), b_(loop.getLoc(), loop.getContext()) {}

  void run() {
    collect();
    if (loads_.empty())
      return;
    b_.setInsertionPoint(loop_);
    Value isAny = isAnyTrip(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getUnsignedCmp());
    SmallVector<Value> first = loadedAt(loop_.getLowerBound(), isAny);
    replaceLoadsOfAll(first);
    if (loads_.empty())
      return;

    b_.setInsertionPointToStart(loop_.getBody());
    Value left = arith::SubIOp::create(b_, loop_.getUpperBound(), loop_.getInductionVar());
    Value isNext = arith::CmpIOp::create(b_, arith::CmpIPredicate::ugt, left, loop_.getStep());
    Value at = arith::AddIOp::create(b_, loop_.getInductionVar(), loop_.getStep());
    // What a kernel assumes holds for iterations that there are.
    at = arith::SelectOp::create(b_, isNext, at, loop_.getInductionVar());
    const SmallVector<Value> next = loadedAt(at, isNext);

    IRRewriter rewriter(b_.getContext());
    auto carried = cast<scf::ForOp>(*loop_.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return next; }));
    // In two iterations by turns, what is loaded has registers of its own. Otherwise it moves from those of
    // the next iteration to those of this one, and the move waits for it while the product is still to be
    // made. A program has stored its result by then.
    if (bound_.isBesideProduct && !carried->hasAttr(ir::UnrollName))
      carried->setAttr(ir::UnrollName, b_.getI32IntegerAttr(2));
    for (auto [load, argument] : llvm::zip(loads_, carried.getRegionIterArgs().take_back(loads_.size()))) {
      load.replaceAllUsesWith(argument);
      load.erase();
    }
  }

 private:
  void collect() {
    std::int64_t left = bound_.registers;
    for (Operation &op : *loop_.getBody()) {
      // An assert may be what keeps a program from memory that is not there.
      if (!bound_.isBesideProduct && (mayChangeLoads(loop_, &op, apart_) || isa<ir::AssertOp>(op)))
        return;
      auto load = dyn_cast<ir::LoadOp>(op);
      if (!load || load.getIsVolatile())
        continue;
      const std::int64_t registers = registersOf(load.getType());
      if (registers > std::min(left, bound_.registersOfLoad) || !addSlice(load))
        continue;
      left -= registers;
      loads_.push_back(load);
    }
  }

  // Loads that are the same in all iterations leave the loop.
  void replaceLoadsOfAll(SmallVectorImpl<Value> &first) {
    if (bound_.isBesideProduct)
      return;
    SmallVector<ir::LoadOp> ahead;
    SmallVector<Value> ofFirst;
    for (auto [load, value] : llvm::zip(loads_, first)) {
      if (llvm::any_of(load->getOperands(), [&](Value v) { return isOfIteration(v); })) {
        ahead.push_back(load);
        ofFirst.push_back(value);
        continue;
      }
      load.replaceAllUsesWith(value);
      load.erase();
    }
    loads_ = std::move(ahead);
    first = std::move(ofFirst);
  }

  bool isOfIteration(Value v) {
    return v == loop_.getInductionVar() || (v.getDefiningOp() && ofIteration_.contains(v.getDefiningOp()));
  }

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
    for (Operation *op : slice)
      if (llvm::any_of(op->getOperands(), [&](Value v) { return isOfIteration(v); }))
        ofIteration_.insert(op);
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
  Bound bound_;
  const ApartBuffers &apart_;
  ImplicitLocOpBuilder b_;
  SmallVector<ir::LoadOp> loads_;
  llvm::SmallSetVector<Operation *, 16> slice_;    // in their order
  llvm::SmallDenseSet<Operation *> ofIteration_;   // those of them that differ from iteration to iteration
};

// A quarter of what a thread can have: it keeps what it works on, too, and often once more as f32. A thread
// of 32 warps has 64 registers, and none to spare.
std::int64_t registersForNextIteration(unsigned warps) {
  constexpr std::int64_t most = 255, all = 65536, few = 64;
  const std::int64_t ofThread = std::min(most, all / (std::int64_t{32} * warps));
  return ofThread <= few ? 0 : ofThread / 4;
}

std::optional<Bound> boundFor(scf::ForOp loop, const ApartBuffers &apart) {
  if (loop->getParentOfType<gpu::RolesOp>()) {
    if (loop.getOps<ir::DotOp>().empty() || mayChangeLoads(loop, loop, apart))
      return std::nullopt;
    return Bound{MostRegistersBesideProduct, std::numeric_limits<std::int64_t>::max(), true};
  }
  auto kernel = loop->getParentOfType<func::FuncOp>();
  if (contains(kernel, llvm::IsaPred<gpu::RolesOp, ir::DotOp>))
    return std::nullopt;
  const bool isOfPrograms = loop->hasAttr(gpu::ProgramsName);
  auto isLoop = [&](Operation *op) { return op != loop && isa<LoopLikeOpInterface>(op); };
  if (!isOfPrograms && (contains(loop, isLoop) || mayChangeLoads(loop, loop, apart)))
    return std::nullopt;
  const std::int64_t most = registersForNextIteration(ir::numWarps(kernel));
  return Bound{most, most, false};
}

struct LoadAhead : ir::impl::TileGpuLoadAheadBase<LoadAhead> {
  void runOnOperation() override {
    const ApartBuffers apart(getOperation());
    SmallVector<std::pair<scf::ForOp, Bound>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<Bound> bound = boundFor(loop, apart))
        loops.emplace_back(loop, *bound);
    });
    for (auto [loop, bound] : loops)
      LoadsAhead(loop, bound, apart).run();
  }
};

}   // namespace
}   // namespace tile
