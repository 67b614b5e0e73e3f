// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/consumer.h"

#include "compiler/analysis/matrix_products.h"
#include "compiler/transforms/products_in_flight.h"
#include "compiler/transforms/roles/role_rewrites.h"

using namespace mlir;

namespace tile {

// Products that multiply a loaded block as it is, or transposed, take the view.
static void multiplyFrom(gpu::ViewOp view, ir::DescriptorLoadOp load, ArrayRef<ir::DotOp> dots) {
  auto isMultiplied = [&](OpOperand &use) {
    auto dot = dyn_cast<ir::DotOp>(use.getOwner());
    return llvm::is_contained(dots, dot) && use != dot.getAccMutable() &&
           OperandSources::of(use.get()).isLoaded;
  };
  load.getResult().replaceUsesWithIf(view, isMultiplied);
  for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
    auto permute = dyn_cast<ir::PermuteOp>(user);
    if (!permute || llvm::none_of(permute->getUses(), isMultiplied))
      continue;
    auto type = cast<RankedTensorType>(permute.getType());
    auto rows = layout::sharedRows(type.getShape().vec(), type.getElementTypeBitWidth(), /*fast=*/0);
    OpBuilder b(permute);
    auto transposed = ir::PermuteOp::create(b, permute.getLoc(),
                                            gpu::withLayout(type, gpu::LayoutAttr::get(b.getContext(), rows)),
                                            view, permute.getOrder());
    permute.getResult().replaceUsesWithIf(transposed, isMultiplied);
    if (permute->use_empty())
      permute.erase();
  }
}

// The last op, from `last` on in its block, that reads a view or holds who does.
static Operation *lastReader(Value view, Operation *last) {
  for (Operation *user : view.getUsers()) {
    Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
    if (isa<ir::PermuteOp>(user))
      last = lastReader(user->getResult(0), last);
    else if (last->isBeforeInBlock(here))
      last = here;
  }
  return last;
}

static bool isComputed(Value operand) {
  return !isInShared(operand) && !OperandSources::of(operand).isLoaded;
}

// The loop around a product that goes on while the next slot is waited for, which is another one than that
// which is read; null where it is awaited at once.
static scf::ForOp loopInFlight(const CopiedGroup &group) {
  auto loop = dyn_cast<scf::ForOp>(group.block->getParentOp());
  if (!loop || group.slots < 2 || group.dots.size() != 1 ||
      !llvm::hasSingleElement(group.block->getOps<ir::DotOp>()) ||
      llvm::any_of(ir::DotOp(group.dots.front())->getOperands().take_front(2), isComputed))
    return nullptr;
  return mayStayInFlight(group.dots.front(), loop) ? loop : nullptr;
}

void consume(ImplicitLocOpBuilder &b, const CopiedGroup &of, bool isOfRegisters) {
  CopiedGroup group = of;
  b.setInsertionPoint(group.loads.front());
  b.setLoc(group.loads.front().getLoc());
  Value cursor = gpu::CursorOp::create(b, group.type().getCursor(), 0U);
  auto lease = gpu::WaitOp::create(b, gpu::LeaseType::get(b.getContext()), group.channel, cursor);
  auto type = group.type();
  SmallVector<gpu::ViewOp, 2> views;
  for (auto [i, load] : llvm::enumerate(group.loads)) {
    const auto number = static_cast<uint32_t>(i);
    views.push_back(gpu::ViewOp::create(b, type.getTile(number), lease, number));
    if (!isOfRegisters)
      multiplyFrom(views.back(), load, group.dots);
  }
  for (auto [view, load] : llvm::zip(views, group.loads))
    if (!load->use_empty()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(load);
      load.replaceAllUsesWith(gpu::ReadOp::create(b, load.getType(), view).getResult());
    }
  for (ir::DescriptorLoadOp load : group.loads)   // behind: the first one is where the builder is
    load.erase();
  Operation *last = lease;   // that reads the slot, or holds who does
  for (gpu::ViewOp view : views)
    last = lastReader(view, last);
  if (isOfRegisters)   // each step of K is read right before it is multiplied
    for (ir::DotOp dot : group.dots)
      if (Operation *here = last->getBlock()->findAncestorOpInBlock(*dot); last->isBeforeInBlock(here))
        last = here;
  b.setInsertionPointAfter(last);
  b.setLoc(last->getLoc());
  if (scf::ForOp loop = isOfRegisters ? scf::ForOp() : loopInFlight(group)) {
    keepInFlight(b, loop, group.dots.front(), lease.getResult());
    b.setInsertionPoint(last->getBlock()->getTerminator());
  } else {
    gpu::ReleaseOp::create(b, lease);
  }
  Value next = gpu::AdvanceOp::create(b, cursor.getType(), cursor);
  carryOutwards(b, cursor, next);
}

}   // namespace tile
