// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/ping_pong.h"

#include "compiler/transforms/roles/role_rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tile {

std::optional<scf::ForOp> loopOfTurns(func::FuncOp kernel, const RolePartition &roles) {
  scf::ForOp turns;
  for (Block *block = &kernel.getBody().front(); block;) {
    SmallVector<Operation *, 1> around;
    for (Operation &op : *block)
      if (roles.isAround(&op))
        around.push_back(&op);
    auto loop = around.size() == 1 && hasIndependentIterations(around.front())
                    ? cast<scf::ForOp>(around.front())
                    : nullptr;
    block = loop ? loop.getBody() : nullptr;
    if (loop && loop.getInitArgs().empty())
      turns = loop;
  }
  if (!turns)
    return turns;
  const bool onlyReads =
      !kernel
           .walk<WalkOrder::PreOrder>([&](Operation *op) {
             if (op == turns || roles.prefix().contains(op))
               return WalkResult::skip();
             if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
                 isa<ir::LoadOp>(op) || ir::isPromise(op))
               return WalkResult::advance();
             return isa<func::FuncOp, func::ReturnOp>(op) ? WalkResult::advance() : WalkResult::interrupt();
           })
           .wasInterrupted();
  return onlyReads ? std::optional(turns) : std::nullopt;
}

static func::FuncOp kernelOf(Block *block) {
  Operation *around = block->getParentOp();
  auto kernel = dyn_cast<func::FuncOp>(around);
  return kernel ? kernel : around->getParentOfType<func::FuncOp>();
}

SlotsInTurn slotsInTurn(const LoadGroup &group, const RolePartition &roles, scf::ForOp turns) {
  if (!group.dots.empty())
    return SlotsInTurn::any;
  Block *iteration = turns ? turns.getBody() : &kernelOf(group.block).getBody().front();
  if (group.block == iteration)
    return SlotsInTurn::two;
  Operation *here = iteration->findAncestorOpInBlock(*group.block->getParentOp());
  const bool isAmongProducts = here && llvm::any_of(roles.loadGroups(), [&](const LoadGroup &other) {
                                 return !other.dots.empty() && here->isAncestor(other.block->getParentOp());
                               });
  return isAmongProducts ? SlotsInTurn::any : SlotsInTurn::impossible;
}

void takeTurns(ImplicitLocOpBuilder &b, scf::ForOp loop, bool isFirst) {
  b.setInsertionPoint(loop);
  b.setLoc(loop.getLoc());
  Value now = arith::ConstantIntOp::create(b, isFirst, 1);
  IRRewriter rewriter(b.getContext());
  auto taking = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, now, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> mine) { return SmallVector<Value>{mine.front()}; }));
  Block &body = *taking.getBody();
  b.setInsertionPointToStart(&body);
  auto branch = scf::IfOp::create(b, taking.getRegionIterArgs().back(), /*withElseRegion=*/true);
  Operation *yield = body.getTerminator();
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(std::next(Block::iterator(branch)), Block::iterator(yield))))
    op.moveBefore(branch.thenBlock()->getTerminator());
  b.setInsertionPoint(yield);
  Value isOther = arith::XOrIOp::create(b, yield->getOperand(0), arith::ConstantIntOp::create(b, 1, 1));
  yield->setOperand(0, isOther);
  carryOutwards(b, now, taking.getResults().back());
}

Turn turnOf(Operation *work, gpu::RolesOp roles, scf::ForOp turns) {
  SmallVector<Operation *> around;
  for (Operation *op = work->getParentOp(); op != roles; op = op->getParentOp())
    around.insert(around.begin(), op);
  size_t depth = 2;   // the loop, and the branch in it
  for (Operation *op = turns->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
    ++depth;
  around.resize(depth);
  return Turn(std::move(around));
}

void Turn::mapLoops(scf::ForOp loop, IRMapping &map) const {
  Operation *of = loop;
  for (Operation *own : llvm::reverse(ArrayRef(around_).drop_back())) {
    auto from = cast<scf::ForOp>(of), to = cast<scf::ForOp>(own);
    map.map(from.getInductionVar(), to.getInductionVar());
    // What the program carries besides comes behind.
    for (auto [i, carried] : llvm::enumerate(from.getRegionIterArgs()))
      map.map(carried, to.getRegionIterArg(static_cast<unsigned>(i)));
    of = of->getParentOp();
  }
}

void multiplyInTurn(ImplicitLocOpBuilder &b, const Turn &turn, gpu::ChannelOp channel,
                    llvm::function_ref<bool(gpu::WaitOp)> isOfProduct, bool isFirst) {
  Block &mine = *turn.branch().thenBlock();
  Operation *first = nullptr, *last = nullptr;
  mine.walk([&](gpu::WaitOp wait) {
    if (!isOfProduct(wait))
      return;
    Operation *op = mine.findAncestorOpInBlock(*wait);
    first = first ? first : op;
    last = op;
  });
  b.setInsertionPoint(first);
  b.setLoc(first->getLoc());
  Value cursor = gpu::CursorOp::create(b, channel.getChannel().getType().getCursor(), 0U);
  Value held = isFirst ? Value(gpu::AcquireOp::create(b, gpu::SlotType::get(b.getContext()), channel, cursor))
                       : gpu::WaitOp::create(b, gpu::LeaseType::get(b.getContext()), channel, cursor);
  auto handOn = [&] {
    if (isFirst)
      gpu::CommitOp::create(b, held);
    else
      gpu::ReleaseOp::create(b, held);
  };
  // Where a product is on its way when the loop ends, within the loop: behind it the assembler takes nothing
  // but the wait.
  gpu::AwaitProductsOp await;
  auto branch = dyn_cast<scf::IfOp>(last);
  if (branch)
    for (auto found : branch.thenBlock()->getOps<gpu::AwaitProductsOp>())
      await = found;
  if (await) {
    auto loop = await.getSums().getDefiningOp<scf::ForOp>();
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value left = arith::SubIOp::create(b, loop.getUpperBound(), loop.getInductionVar());
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, left, loop.getStep());
    b.setInsertionPointToStart(scf::IfOp::create(b, isLast, /*withElseRegion=*/false).thenBlock());
    handOn();
    b.setInsertionPointToStart(branch.elseBlock());
  } else {
    b.setInsertionPointAfter(last);
  }
  handOn();
  b.setInsertionPointAfter(last);
  carryOutwards(b, cursor, gpu::AdvanceOp::create(b, cursor.getType(), cursor));
}

}   // namespace tile
