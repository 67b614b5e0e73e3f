// SPDX-License-Identifier: MIT
// `tile-gpu-partition-over-ctas`: the CTAs of a cluster share a program's tile.
//
//    acc : 256 x 256 = dot(A[m, k] 256 x 64, B[k, n] 64 x 256)        one CTA
//    acc : 128 x 256 = dot(A[m + 128 * rank, k] 128 x 64, B[k, n])    each of two
//
// Axis 0 of the product is divided, and of all that is made of it element by element, down to the store.
// Where the tile is stored transposed, each CTA stores its own columns. The other operand is the same in all
// CTAs: what does not depend on the rank is copied once for all of them. A block that is both operands is
// loaded twice, as a part and as a whole. A vector that is spread over the columns, such as scales of rows,
// is computed anew for the rows of each CTA: numbers of rows begin at those of the CTA, and pointers and
// loads follow. So do tiles of pointers that the tile is stored through, or that is loaded for it, and their
// masks. What else changes memory is refused: an atomic sum that is no part of the tile would be added
// by each CTA.
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/role_partition.h"
#include "compiler/transforms/numbers_of_ctas.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUPARTITIONOVERCTAS
#include "compiler/transforms/passes.h.inc"

namespace {

class Partition {
 public:
  Partition(func::FuncOp kernel, unsigned ctas)
      : kernel_(kernel), ctas_(ctas), b_(kernel.getLoc(), kernel.getContext()) {
    SmallVector<DotOp> dots;
    kernel.walk([&](DotOp dot) {
      if (fillOf(loadOf(dot.getA())))
        dots.push_back(dot);
    });
    loadSeparately(dots);
    for (DotOp dot : dots) {
      divide(dot.getResult(), 0);
      divide(dot.getA(), 0);
    }
  }

  // What cannot be divided; null where all can.
  Operation *findObstacle() {
    while (!open_.empty() && !obstacle_) {
      auto [v, axis] = open_.pop_back_val();
      if (const int64_t rows = cast<RankedTensorType>(v.getType()).getDimSize(axis);
          rows % (64 * int64_t(ctas_)) != 0) {
        obstacle_ = v.getDefiningOp() ? v.getDefiningOp() : v.getParentBlock()->getParentOp();
        unevenRows_ = rows;
      } else {
        follow(v, axis);
      }
    }
    return obstacle_;
  }

  // Why the obstacle is one, and what to do about it.
  std::string explanation() const {
    std::string text;
    llvm::raw_string_ostream why(text);
    if (unevenRows_)
      why << "there are " << unevenRows_ << ", and each CTA takes a multiple of 64; use tiles with "
          << 64 * ctas_ << " rows or a multiple";
    else if (isa<StoreOp, LoadOp>(obstacle_))
      why << "this access goes through pointers that are not made of `arange`, loaded vectors and arithmetic "
             "alone; use `descriptor(p, shape, strides, block)`";
    else
      why << "this operation combines rows of the tile, and each CTA has only its own rows; give it a tile "
             "that is loaded again";
    why << ", or use num_ctas = 1";
    return text;
  }

  // What changes memory, and would do so in each CTA; null where only parts of the tile are stored.
  Operation *findDoubled() {
    Operation *doubled = nullptr;
    kernel_.getBody().walk([&](Operation *op) {
      const bool isDivided = stores_.contains(dyn_cast<DescriptorStoreOp>(op)) || parts_.contains(op);
      if (isDivided || isa<AssertOp>(op) || isPromise(op) || isMemoryEffectFree(op) ||
          op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || hasSingleEffect<MemoryEffects::Read>(op))
        return WalkResult::advance();
      doubled = op;
      return WalkResult::interrupt();
    });
    return doubled;
  }

  void run() {
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    Value rank = gpu::CtaRankOp::create(b_, b_.getI32Type());
    for (auto [v, axis] : divided_) {
      takePart(v, axis, ctas_, rank);
      if (auto load = v.getDefiningOp<DescriptorLoadOp>())
        move(load, load.getDescMutable(), load.getCoordsMutable(), axis, getShape(v.getType())[axis], rank);
    }
    for (auto [store, axis] : stores_)
      move(store, store.getDescMutable(), store.getCoordsMutable(), axis,
           getShape(store.getValue().getType())[axis], rank);
  }

 private:
  // dot(x, trans(x)): each CTA multiplies its rows of x by all of them.
  void loadSeparately(ArrayRef<DotOp> dots) {
    llvm::DenseSet<Operation *> whole;
    for (DotOp dot : dots)
      whole.insert(loadOf(dot.getB()));
    for (DotOp dot : dots) {
      DescriptorLoadOp load = loadOf(dot.getA());
      if (!whole.contains(load))
        continue;
      SmallVector<Operation *> permutes;
      for (Value v = dot.getA(); v != load.getResult(); v = permutes.back()->getOperand(0))
        permutes.push_back(v.getDefiningOp());
      b_.setInsertionPointAfter(load);
      Value own = b_.clone(*load)->getResult(0);
      for (Operation *permute : llvm::reverse(permutes)) {
        Operation *copy = b_.clone(*permute);
        copy->setOperand(0, own);
        own = copy->getResult(0);
      }
      dot.getAMutable().assign(own);
    }
  }

  void divide(Value v, unsigned axis) {
    if (!isa<RankedTensorType>(v.getType()))
      return;
    auto [it, fresh] = divided_.insert({v, axis});
    if (fresh)
      open_.push_back({v, axis});
    else if (it->second != axis && !obstacle_)
      obstacle_ = v.getDefiningOp();
  }

  void follow(Value v, unsigned axis) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        around(loop, argument.getArgNumber() - 1, axis);
      else
        obstacle_ = argument.getOwner()->getParentOp();
    } else {
      Operation *op = v.getDefiningOp();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        around(loop, cast<OpResult>(v).getResultNumber(), axis);
      else if (auto dot = dyn_cast<DotOp>(op); dot && axis == 0)
        divide(dot.getAcc(), 0);
      else if (auto permute = dyn_cast<PermuteOp>(op);
               permute && permute.getOrder() == ArrayRef<int32_t>{1, 0})
        divide(permute.getValue(), 1 - axis);
      else if (isElementwise(op))
        llvm::for_each(op->getOperands(), [&](Value operand) { divide(operand, axis); });
      else if (auto spread = dyn_cast<BroadcastOp>(op))
        followRows(spread, axis);
      else if (auto expand = dyn_cast<ExpandDimsOp>(op); expand && own_.contains(v))
        divide(expand.getValue(), axis - (axis > static_cast<unsigned>(expand.getAxis()) ? 1 : 0));
      else if (isa<LoadOp>(op) && own_.contains(v))
        llvm::for_each(op->getOperands(), [&](Value operand) { divide(operand, axis); });
      else if (auto load = dyn_cast<LoadOp>(op); load && !load.getIsVolatile())
        divideOwn(op, axis);
      else if (!isSplat(op) && !isa<DescriptorLoadOp>(op) && !(isa<ArangeOp>(op) && own_.contains(v)))
        obstacle_ = op;
    }
    if (!own_.contains(v))   // nobody else uses those
      for (Operation *user : v.getUsers())
        use(user, v, axis);
  }

  // What is spread over columns and differs from row to row is made anew for this use, so that other users
  // keep what they have.
  void followRows(BroadcastOp spread, unsigned axis) {
    if (getShape(spread.getValue().getType())[axis] == 1)
      return;
    if (own_.contains(spread.getResult()))
      divide(spread.getValue(), axis);
    else
      divideOwn(spread, axis);
  }

  // Gives an operation copies of its operands, and divides these.
  void divideOwn(Operation *op, unsigned axis, Value but = {}) {
    Copies copies;
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() == but)
        continue;
      Value own = copyOf(operand.get(), axis, copies);
      if (!own) {
        obstacle_ = op;
        return;
      }
      operand.set(own);
      divide(own, axis);
    }
  }

  // A copy of all that makes a tile out of numbers of rows and columns, scalars and memory, and that has the
  // axis; null if there is more. The same numbers may count rows and columns: only those of rows are copied.
  using Copies = llvm::DenseMap<std::pair<Value, unsigned>, Value>;
  Value copyOf(Value v, unsigned axis, Copies &copies) {
    Operation *op = v.getDefiningOp();
    if (!isa<RankedTensorType>(v.getType()) || !op)
      return isa<RankedTensorType>(v.getType()) ? Value() : v;
    if (Value known = copies.lookup({v, axis}))
      return known;
    auto load = dyn_cast<LoadOp>(op);
    if (!(load && !load.getIsVolatile()) && !isa<ExpandDimsOp, ArangeOp, BroadcastOp>(op) && !isSplat(op) &&
        !(isElementwise(op) && isMemoryEffectFree(op)))
      return {};
    unsigned axisOfOperands = axis;
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      axisOfOperands -= axis > static_cast<unsigned>(expand.getAxis()) ? 1 : 0;
    IRMapping map;
    for (Value operand : op->getOperands()) {
      const bool isSpread = isa<BroadcastOp>(op) && getShape(operand.getType())[axis] == 1;
      Value own = isSpread ? operand : copyOf(operand, axisOfOperands, copies);
      if (!own)
        return {};
      map.map(operand, own);
    }
    b_.setInsertionPointAfter(op);
    Value own = b_.clone(*op, map)->getResult(0);
    own_.insert(own);
    return copies[{v, axis}] = own;
  }

  static bool isSplat(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    return isa<SplatOp>(op);
  }

  void use(Operation *user, Value v, unsigned axis) {
    if (auto dot = dyn_cast<DotOp>(user)) {
      if (axis != 0 || dot.getB() == v)
        obstacle_ = user;
      else
        divide(dot.getResult(), 0), divide(dot.getA(), 0);
    } else if (auto permute = dyn_cast<PermuteOp>(user);
               permute && permute.getOrder() == ArrayRef<int32_t>{1, 0}) {
      divide(permute.getResult(), 1 - axis);
    } else if (auto store = dyn_cast<DescriptorStoreOp>(user)) {
      stores_.insert({store, axis});   // of the transpose, the columns
    } else if (auto store = dyn_cast<StoreOp>(user); store && !store.getIsVolatile()) {
      if (parts_.insert(user).second)
        divideOwn(user, axis, /*but=*/v);
    } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
      around(loop, static_cast<unsigned>(llvm::find(loop.getInitArgs(), v) - loop.getInitArgs().begin()),
             axis);
    } else if (auto yield = dyn_cast<scf::YieldOp>(user); yield && isa<scf::ForOp>(user->getParentOp())) {
      around(cast<scf::ForOp>(user->getParentOp()),
             static_cast<unsigned>(llvm::find(yield.getOperands(), v) - yield.getOperands().begin()), axis);
    } else if (isElementwise(user)) {
      for (Value other : user->getResults())
        divide(other, axis);
      for (Value other : user->getOperands())
        divide(other, axis);
    } else {
      obstacle_ = user;
    }
  }

  void around(scf::ForOp loop, unsigned index, unsigned axis) {
    for (Value v : {loop.getInitArgs()[index], Value(loop.getRegionIterArg(index)),
                    loop.getYieldedValues()[index], Value(loop.getResult(index))})
      divide(v, axis);
  }

  // An access to a part of its block: `extent` elements along an axis of the tile, the rank's of all.
  void move(Operation *access, OpOperand &desc, MutableOperandRange coords, unsigned axis, int64_t extent,
            Value rank) {
    auto made = desc.get().getDefiningOp<MakeDescriptorOp>();
    auto type = cast<DescType>(desc.get().getType());
    SmallVector<int64_t> block(type.getBlock());
    const size_t at = block.size() - 2 + axis;
    block[at] = extent;
    b_.setInsertionPointAfter(made);
    b_.setLoc(made.getLoc());
    auto ofPart =
        MakeDescriptorOp::create(b_, DescType::get(type.getContext(), block, type.getElement()),
                                 made.getBase(), made.getShape(), made.getStrides(), made.getPadding());
    ofPart->setDiscardableAttrs(made->getDiscardableAttrDictionary());
    desc.set(ofPart);
    b_.setInsertionPoint(access);
    b_.setLoc(access->getLoc());
    Value size = arith::ConstantOp::create(b_, b_.getI32IntegerAttr(static_cast<int32_t>(extent)));
    Value offset = arith::MulIOp::create(b_, rank, size);
    OpOperand &coordinate = coords[static_cast<unsigned>(at)];
    coordinate.set(arith::AddIOp::create(b_, coordinate.get(), offset));
  }

  func::FuncOp kernel_;
  unsigned ctas_;
  ImplicitLocOpBuilder b_;
  llvm::MapVector<Value, unsigned> divided_;   // and along which axis
  SmallVector<std::pair<Value, unsigned>> open_;
  llvm::DenseSet<Value> own_;                             // copies that one use alone has
  llvm::MapVector<DescriptorStoreOp, unsigned> stores_;   // and along which axis
  llvm::DenseSet<Operation *> parts_;                     // stores through pointers
  Operation *obstacle_ = nullptr;
  int64_t unevenRows_ = 0;   // of the obstacle, where they are the reason
};

struct PartitionOverCtas : impl::TileGpuPartitionOverCtasBase<PartitionOverCtas> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const unsigned ctas = numCtas(kernel);
    if (kernel.isExternal() || ctas == 1 || !kernel->hasAttr(gpu::PlanName))
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    Partition partition(kernel, ctas);
    if (Operation *obstacle = partition.findObstacle()) {
      obstacle->emitError("here the rows of the product's tile cannot be divided among ")
          << ctas << " CTAs: " << partition.explanation();
      return signalPassFailure();
    }
    if (Operation *doubled = partition.findDoubled()) {
      doubled->emitError("here each of ")
          << ctas << " CTAs would change memory that the program changes once: only stores of the product's "
          << "tile are divided; use num_ctas = 1";
      return signalPassFailure();
    }
    partition.run();
  }
};

}   // namespace
}   // namespace tile::ir
