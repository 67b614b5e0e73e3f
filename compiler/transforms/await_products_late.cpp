// SPDX-License-Identifier: MIT
// `tile-gpu-await-products-late`: the products of an iteration go on beside what is computed between them.
//
//    s = dot k, q;  p = exp(s - ...);  sums = dot p, g, sums;  t = dot v, g;  d = p * t;  more = dot d, q,
//    more
//
// becomes, in a role,
//
//    s = dot k, q in flight;  t = dot v, g in flight
//    await s, one pending;  p = exp(s - ...);  sums = dot p, g, sums in flight
//    await t, one pending;  d = p * t;  more = dot d, q, more in flight;  await sums, one pending;  await
//    more
//
// Each product begins as soon as its operands lie in shared memory, and is awaited where something else than
// the next product first needs its sums. The slots that it reads are released behind that.
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/sums_at_once.h"
#include "compiler/target/role_registers.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUAWAITPRODUCTSLATE
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

class BlockOfProducts {
 public:
  explicit BlockOfProducts(Block &block) : block_(block) {
    for (Operation &op : block)
      if (auto dot = dyn_cast<ir::DotOp>(op))
        products_.push_back(dot);
  }

  // Whether nobody has decided before when the products are awaited, and the threads hold what is on its way
  // at once.
  bool mayGoOn() {
    return products_.size() > 1 && llvm::all_of(products_, [&](ir::DotOp dot) { return mayGoOn(dot); }) &&
           holdsSums() && !mayEndIn(block_);
  }

  void run() {
    llvm::for_each(products_, [&](ir::DotOp dot) { moveUp(dot); });
    llvm::sort(products_, [](ir::DotOp x, ir::DotOp y) { return x->isBeforeInBlock(y); });
    for (ir::DotOp dot : products_)
      dot->setAttr(gpu::InFlightName, UnitAttr::get(dot.getContext()));
    for (size_t over = 0; over < products_.size();)
      over = awaitNext(over);
  }

 private:
  // Whether it is the unit's. Sums that the next product adds to in place are of no other use.
  bool mayGoOn(ir::DotOp dot) {
    const bool isAddedTo = llvm::any_of(dot->getUses(), [&](OpOperand &use) { return isAccOfNext(use); });
    return isInShared(dot.getB()) && dot.getMaxImpreciseAcc() == 0 && !dot->hasAttr(gpu::InFlightName) &&
           !dot->use_empty() && (dot->hasOneUse() || !isAddedTo);
  }

  bool holdsSums() {
    Region *program = block_.getParent();
    while (!isa<gpu::RolesOp>(program->getParentOp()))
      program = program->getParentRegion();
    auto roles = cast<gpu::RolesOp>(program->getParentOp());
    const unsigned role = program->getRegionNumber();
    const auto warps = static_cast<unsigned>(roles.getWarps()[role]);
    const int32_t all = roles.getFirstWarp(static_cast<unsigned>(roles.getWarps().size()));
    const int32_t given = roles.getRegisters()[role];
    return warpgroupsOf(warps) > 0 && sumsAtOnce(block_, warps) + RoleRegisters::Others <=
                                          (given ? given : RoleRegisters::atFirst((all + 3) / 4));
  }

  // Whether a product of the block adds to these sums in place.
  bool isAccOfNext(OpOperand &use) {
    auto next = dyn_cast<ir::DotOp>(use.getOwner());
    return next && next->getBlock() == &block_ && use == next.getAccMutable();
  }

  // Behind what its operands are computed from. What brings them to another form or place goes with it.
  void moveUp(ir::DotOp dot) {
    SmallVector<Operation *> moved{dot};
    Operation *behind = nullptr;
    for (size_t i = 0; i < moved.size(); ++i)   // grows
      for (Value operand : moved[i]->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (!op || op->getBlock() != &block_ || llvm::is_contained(moved, op))
          continue;
        if (movesTile(op))
          moved.push_back(op);
        else if (!behind || behind->isBeforeInBlock(op))
          behind = op;
      }
    // What the block needs keeps its order, and goes before what it only hands on.
    for (ir::DotOp other : products_)
      if (other != dot && isNeeded(other) && (!behind || behind->isBeforeInBlock(other)) &&
          (isNeeded(dot) ? other->isBeforeInBlock(dot) : !isComputedBehind(other, behind)))
        behind = other;
    if (!behind)
      return;
    if (dot->isBeforeInBlock(behind))   // a product that the block needs
      dot->moveAfter(behind);
    llvm::sort(moved, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
    for (Operation *op : moved)
      if (behind->isBeforeInBlock(op)) {
        op->moveAfter(behind);
        behind = op;
      }
  }

  // Whether the block does something with the sums, or with what the next product makes of them, but for
  // handing them on.
  bool isNeeded(ir::DotOp dot) {
    return !llvm::all_of(dot->getUses(), [&](OpOperand &use) {
      return use.getOwner() == block_.getTerminator() ||
             (isAccOfNext(use) && !isNeeded(cast<ir::DotOp>(use.getOwner())));
    });
  }

  static bool computesTile(Operation *op) {
    return ir::isElementwise(op) && !movesTile(op) &&
           llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  }

  // Whether a product multiplies what is computed behind an op of the block.
  bool isComputedBehind(ir::DotOp dot, Operation *from) {
    if (!from)
      return false;
    SmallVector<Operation *> open{dot};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      if (op != dot && computesTile(op))
        return true;
      SmallVector<Value> operands(op->getOperands());
      if (auto wait = dyn_cast<gpu::WaitOp>(op))   // for what is put there
        for (Operation *user : wait.getChannel().getUsers())
          if (isa<gpu::AcquireOp>(user) && user->getBlock() == &block_)
            for (Operation *put : user->getResult(0).getUsers())
              llvm::append_range(operands, put->getOperands());
      for (Value operand : operands) {
        Operation *before = operand.getDefiningOp();
        if (before && before->getBlock() == &block_ && from->isBeforeInBlock(before) &&
            seen.insert(before).second)
          open.push_back(before);
      }
    }
    return false;
  }

  // The place in the block of what first needs the sums. Null where only the next product does.
  Operation *firstUser(ir::DotOp dot) {
    Operation *first = nullptr;
    for (OpOperand &use : dot->getUses()) {
      Operation *here = block_.findAncestorOpInBlock(*use.getOwner());
      if (isAccOfNext(use))
        continue;
      if (!first || here->isBeforeInBlock(first))
        first = here;
    }
    return first;
  }

  // Waits where the sums of one of the products from `over` on are first needed, for all up to it: they are
  // over then. The number of the first one that is not.
  size_t awaitNext(size_t over) {
    Operation *user = nullptr;
    size_t last = over;
    for (size_t i = over; i < products_.size(); ++i)
      if (Operation *here = firstUser(products_[i]); here && (!user || here->isBeforeInBlock(user))) {
        user = here;
        last = i;
      }
    unsigned pending = 0;
    for (size_t i = last + 1; i < products_.size(); ++i)
      pending += products_[i]->isBeforeInBlock(user);
    OpBuilder b(user);
    Operation *end = nullptr;   // behind which all of them are over: the first wait
    for (size_t i = over; i <= last; ++i) {
      ir::DotOp dot = products_[i];
      if (llvm::all_of(dot->getUses(), [&](OpOperand &use) { return isAccOfNext(use); }))
        continue;   // which goes on with these sums
      auto sums = gpu::AwaitProductsOp::create(b, dot.getLoc(), dot.getType(), dot, pending);
      dot.getResult().replaceUsesWithIf(
          sums, [&](OpOperand &use) { return use.getOwner() != sums && !isAccOfNext(use); });
      end = end ? end : sums;
    }
    for (size_t i = over; i <= last; ++i)
      releaseBehind(end, products_[i]);
    return last + 1;
  }

  // Releases the slots that a product reads behind its end.
  void releaseBehind(Operation *end, ir::DotOp dot) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      while (auto permute = operand.getDefiningOp<ir::PermuteOp>())
        operand = permute.getValue();
      auto view = operand.getDefiningOp<gpu::ViewOp>();
      if (!view)
        continue;
      for (Operation *user : llvm::make_early_inc_range(view.getLease().getUsers()))
        if (isa<gpu::ReleaseOp>(user) && user->getBlock() == &block_ && user->isBeforeInBlock(end))
          user->moveAfter(end);
    }
  }

  Block &block_;
  SmallVector<ir::DotOp> products_;
};

struct AwaitProductsLate : ir::impl::TileGpuAwaitProductsLateBase<AwaitProductsLate> {
  void runOnOperation() override {
    llvm::SmallSetVector<Block *, 4> blocks;
    getOperation().walk([&](ir::DotOp dot) {
      auto roles = dot->getParentOfType<gpu::RolesOp>();
      if (roles && !roles.getInTurn())   // in turn, products are what the other role waits for
        blocks.insert(dot->getBlock());
    });
    for (Block *block : blocks)
      if (BlockOfProducts products(*block); products.mayGoOn())
        products.run();
  }
};

}   // namespace
}   // namespace tile
