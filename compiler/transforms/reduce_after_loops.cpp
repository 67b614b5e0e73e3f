// SPDX-License-Identifier: MIT
// `tile-gpu-reduce-after-loops`: what a loop only adds up meets across threads once, behind the loop.
//
//    for i, total { p = ...;  total = total * shrink + sum(p, axis 1) }                          before
//
//    for i, parts { p = ...;  parts = parts * shrink + sum of what the thread has of p }         after
//    total = sum(parts, axis 1)
//
// The axis is divided into what a thread has of it and the threads along it. Where bits 1 and 2 of a column
// are those of a lane's number, a row of 128 is a tile of 16 x 4 x 2: the sum over the first and the last of
// these axes is each thread's own, and `parts` has one element for each of the four threads.
//
// This is done for sums and for extrema. An iteration may also multiply a sum by a factor that all threads of
// a row have. A result that goes to other threads before it is added goes there behind the loop. Floats are
// added up in another order, which is the same in each run.
#include "compiler/analysis/layout_movement.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUREDUCEAFTERLOOPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

using layout::Dim;
using layout::TileLayout;

TileLayout layoutOf(Value tile) { return gpu::getLayoutAttr(tile.getType()).getLayout(); }

// An axis as up to three: what a thread has of it, the threads along it, and again what a thread has.
struct DividedAxis {
  std::int64_t outer, threads, inner;

  // Nothing where no threads lie along the axis, or not in this way.
  static std::optional<DividedAxis> of(const TileLayout &layout, unsigned axis) {
    const unsigned bits = layout.linear().outBits(layout::axis(axis));
    auto isOfThread = [&](unsigned bit) -> std::optional<bool> {
      std::optional<layout::PlaceBit> place = layout::placeBit(layout, axis, bit);
      return place ? std::optional(place->dim == Dim::Register) : std::nullopt;
    };
    unsigned ends[3] = {0, 0, 0}, part = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      std::optional<bool> own = isOfThread(bit);
      if (!own)
        return std::nullopt;
      while (part < 3 && *own != (part != 1))
        ends[part++] = bit;
      if (part == 3)
        return std::nullopt;
    }
    for (; part < 3; ++part)
      ends[part] = bits;
    DividedAxis divided{layout.repeats()[axis] << (bits - ends[1]), std::int64_t(1) << (ends[1] - ends[0]),
                        std::int64_t(1) << ends[0]};
    return divided.threads > 1 ? std::optional(divided) : std::nullopt;
  }
};

// A value that a loop carries, and to which each iteration adds what it has reduced:
// carried * factor + reduce(...).
class CarriedReduction {
 public:
  static std::optional<CarriedReduction> of(scf::ForOp loop, unsigned number) {
    CarriedReduction found(loop, number);
    return found.match() ? std::optional(found) : std::nullopt;
  }

  void moveBehindLoop() {
    const Location loc = reduce_.getLoc();
    ImplicitLocOpBuilder b(loc, reduce_);
    const Type before = loop_.getResult(number_).getType();
    Value parts = reduceInThread(b);
    const auto type = cast<RankedTensorType>(parts.getType());

    BlockArgument carried = loop_.getRegionIterArg(number_);
    carried.setType(type);
    b.setInsertionPoint(add_);
    Value old = carried;
    if (scale_)
      old = clone(b, scale_, {carried, alongThreads(b, factor_, type)}, type);
    Value next = clone(b, add_, {old, parts}, type);
    loop_.getBody()->getTerminator()->setOperand(number_, next);

    b.setInsertionPoint(loop_);
    OpOperand &init = loop_.getInitArgsMutable()[number_];
    const Value first = init.get();
    init.set(isIdempotent() ? alongThreads(b, first, type) : zeros(b, type));
    OpResult result = loop_->getOpResult(number_);
    b.setInsertionPointAfter(loop_);
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(result.getUses(), [](OpOperand &use) { return &use; });
    result.setType(type);
    Value whole = reduceAcross(b, result, before);
    if (!isIdempotent() && !isZero(first))
      whole = clone(b, add_, {first, whole}, before);
    for (OpOperand *use : uses)
      use->set(whole);

    for (Operation *op : {add_, scale_, move_, reduce_.getOperation()})
      if (op)
        op->erase();
  }

 private:
  CarriedReduction(scf::ForOp loop, unsigned number) : loop_(loop), number_(number) {}

  bool match() {
    Value next = loop_.getYieldedValues()[number_];
    add_ = next.getDefiningOp();
    if (!add_ || add_->getBlock() != loop_.getBody() || !next.hasOneUse() || add_->getNumOperands() != 2)
      return false;
    for (unsigned i : {0U, 1U}) {
      Value reduced = add_->getOperand(i);
      auto move = reduced.getDefiningOp<gpu::ConvertLayoutOp>();
      if (move && move->getBlock() == loop_.getBody() && move->hasOneUse()) {
        move_ = move;
        reduced = move.getValue();
      }
      reduce_ = reduced.getDefiningOp<ir::ReduceOp>();
      if (reduce_ && reducesBy(add_) && isOnlyCarried(add_->getOperand(1 - i)))
        break;
      reduce_ = nullptr;
      move_ = nullptr;
    }
    if (!reduce_)
      return false;
    const TileLayout layout = layoutOf(reduce_.getValues().front());
    const unsigned axis = reduce_.getAxis();
    const std::optional<DividedAxis> divided = DividedAxis::of(layout, axis);
    if (!divided)
      return false;
    layout::Shape shape = layout.shape();
    shape[axis] = divided->outer;
    shape.insert(shape.begin() + axis + 1, {divided->threads, divided->inner});
    divided_ = reshapeLayout(layout, shape);
    return divided_.has_value();
  }

  // Whether the tile is reduced by the op that adds its result, and for nothing else.
  bool reducesBy(Operation *op) {
    if (reduce_->getBlock() != loop_.getBody() || reduce_->getNumResults() != 1 ||
        !reduce_.getResult(0).hasOneUse() || !llvm::hasNItems(reduce_.getCombine().front(), 2))
      return false;
    Operation &inner = reduce_.getCombine().front().front();
    return inner.getName() == op->getName() &&
           inner.getPropertiesAsAttribute() == op->getPropertiesAsAttribute() &&
           (isIdempotent() || isa<arith::AddFOp, arith::AddIOp>(op)) && inner.getNumOperands() == 2 &&
           inner.getOperand(0) != inner.getOperand(1);
  }

  // The carried value, or a multiple of it; no iteration looks at it otherwise.
  bool isOnlyCarried(Value v) {
    BlockArgument carried = loop_.getRegionIterArg(number_);
    if (!carried.hasOneUse())
      return false;
    if (v == carried)
      return true;
    auto scale = v.getDefiningOp<arith::MulFOp>();
    if (!scale || !isa<arith::AddFOp>(add_) || scale->getBlock() != loop_.getBody() || !v.hasOneUse() ||
        !llvm::is_contained(scale->getOperands(), carried) || !isZero(loop_.getInitArgs()[number_]))
      return false;
    scale_ = scale;
    factor_ = scale.getLhs() == carried ? scale.getRhs() : scale.getLhs();
    return true;
  }

  bool isIdempotent() {
    return isa<ir::MaximumOp, ir::MinimumOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
               arith::AndIOp, arith::OrIOp>(add_);
  }
  static bool isZero(Value v) { return matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero()); }

  Value reduceInThread(ImplicitLocOpBuilder &b) {
    Value tile = reduce_.getValues().front();
    const unsigned axis = reduce_.getAxis();
    tile = ir::ReshapeOp::create(
        b, laidOut(divided_->shape(), cast<RankedTensorType>(tile.getType()), *divided_), tile,
        /*any_order=*/false);
    for (unsigned own : {axis + 2, axis})
      tile = reduced(b, tile, own);
    return tile;
  }

  Value reduced(ImplicitLocOpBuilder &b, Value tile, unsigned axis) {
    auto type = cast<RankedTensorType>(tile.getType());
    layout::Shape shape(type.getShape().begin(), type.getShape().end());
    shape.erase(shape.begin() + axis);
    return reduceTo(b, tile, axis, laidOut(shape, type, layout::slice(layoutOf(tile), axis)));
  }
  // Also across the CTAs of a cluster, where the op is.
  Value reduceAcross(ImplicitLocOpBuilder &b, Value parts, Type to) {
    Value whole =
        isa<RankedTensorType>(to) ? reduced(b, parts, reduce_.getAxis()) : reduceTo(b, parts, 0, to);
    whole.getDefiningOp()->setDiscardableAttrs(reduce_->getDiscardableAttrDictionary());
    return whole.getType() == to ? whole : Value(gpu::ConvertLayoutOp::create(b, to, whole));
  }
  Value reduceTo(ImplicitLocOpBuilder &b, Value tile, unsigned axis, Type to) {
    auto made = ir::ReduceOp::create(b, TypeRange(to), ValueRange(tile), axis);
    IRMapping map;
    reduce_.getCombine().cloneInto(&made.getCombine(), map);
    return made.getResult(0);
  }

  // What all threads along the axis know, for each of them.
  Value alongThreads(ImplicitLocOpBuilder &b, Value v, RankedTensorType type) {
    auto tile = dyn_cast<RankedTensorType>(v.getType());
    if (!tile)
      return ir::SplatOp::create(b, type, v);
    const unsigned axis = reduce_.getAxis();
    const TileLayout whole = gpu::getLayoutAttr(type).getLayout(), row = layout::slice(whole, axis);
    if (layoutOf(v) != row)
      v = gpu::ConvertLayoutOp::create(b, laidOut(row.shape(), tile, row), v);
    layout::Shape shape = row.shape();
    shape.insert(shape.begin() + axis, 1);
    v = ir::ExpandDimsOp::create(b, laidOut(shape, tile, *reshapeLayout(row, shape)), v, axis);
    return ir::BroadcastOp::create(b, type, v);
  }
  static Value zeros(ImplicitLocOpBuilder &b, RankedTensorType type) {
    return arith::ConstantOp::create(
        b, SplatElementsAttr::get(type, cast<TypedAttr>(b.getZeroAttr(type.getElementType()))));
  }
  static Value clone(ImplicitLocOpBuilder &b, Operation *op, ValueRange operands, Type type) {
    return b.create(op->getLoc(), op->getName().getIdentifier(), operands, TypeRange(type), op->getAttrs())
        ->getResult(0);
  }
  static RankedTensorType laidOut(const layout::Shape &shape, RankedTensorType like,
                                  const TileLayout &layout) {
    return gpu::withLayout(RankedTensorType::get(shape, like.getElementType()),
                           gpu::LayoutAttr::get(like.getContext(), layout));
  }

  scf::ForOp loop_;
  unsigned number_;
  Operation *add_ = nullptr, *scale_ = nullptr, *move_ = nullptr;
  Value factor_;
  ir::ReduceOp reduce_;
  std::optional<TileLayout> divided_;   // of the reduced tile, with three axes for the one
};

struct ReduceAfterLoops : ir::impl::TileGpuReduceAfterLoopsBase<ReduceAfterLoops> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (std::optional<CarriedReduction> found = CarriedReduction::of(loop, i))
          found->moveBehindLoop();
    });
  }
};

}   // namespace
}   // namespace tile
