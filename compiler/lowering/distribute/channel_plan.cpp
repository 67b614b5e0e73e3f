// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/channel_plan.h"

#include "compiler/lowering/distribute/shared_offsets.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::gpu {

// The innermost block that holds all of the ops, directly or within ops of its own.
static Block *commonBlock(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  while (!llvm::all_of(ops, [&](Operation *op) { return block->findAncestorOpInBlock(*op); }))
    block = block->getParentOp()->getBlock();
  return block;
}

static std::pair<Operation *, Operation *> rangeIn(Block *block, ArrayRef<Operation *> ops) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *op : ops) {
    Operation *here = block->findAncestorOpInBlock(*op);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (!last || last->isBeforeInBlock(here))
      last = here;
  }
  return {first, last};
}

namespace {

// The ops that have to do with a channel: its steps, what is done with slots, leases and views, and the loops
// and branches that hand those or cursors on.
struct Users {
  explicit Users(ChannelOp channel) {
    addOf(channel.getChannel());
    for (size_t i = 0; i < ops.size(); ++i) {   // grows
      for (Value result : ops[i]->getResults())
        if (isHandle(result))
          addOf(result);
      if (ops[i]->hasTrait<OpTrait::IsTerminator>())
        ops.insert(ops[i]->getParentOp());
      if (isa<AcquireOp, WaitOp>(ops[i]))
        addCarriers(ops[i]->getOperand(1));
    }
  }
  llvm::SetVector<Operation *> ops;

 private:
  static bool isHandle(Value v) {
    LayoutAttr layout = getLayoutAttr(v.getType());
    return isa<SlotType, LeaseType>(v.getType()) || (layout && layout.getLayout().isShared());
  }
  void addOf(Value v) { ops.insert_range(v.getUsers()); }
  void addCarriers(Value cursor) {
    while (cursor) {
      if (auto advance = cursor.getDefiningOp<AdvanceOp>()) {
        cursor = advance.getCursor();
        continue;
      }
      auto argument = dyn_cast<BlockArgument>(cursor);
      Operation *giver = argument ? argument.getOwner()->getParentOp() : cursor.getDefiningOp();
      if (isa<LoopLikeOpInterface>(giver))
        ops.insert(giver);
      cursor = handedOn(cursor);
    }
  }
};

// Whether all copies of the channel and all that reads it have one layout, in which no two threads have the
// same element.
bool readsItsOwn(ArrayRef<Operation *> users) {
  std::optional<layout::TileLayout> common;
  bool isRead = false;
  for (Operation *op : users) {
    if (!isa<CopyOp, ReadOp>(op)) {
      if (isa<ir::DotOp, ir::PermuteOp, PutOp, CopyBoxOp, StoreBoxOp>(op))
        return false;
      continue;
    }
    auto copy = dyn_cast<CopyOp>(op);
    if (auto read = dyn_cast<ReadOp>(op)) {
      isRead = true;
      const layout::TileLayout to = getLayoutAttr(read.getType()).getLayout(),
                               from = getLayoutAttr(read.getView().getType()).getLayout();
      const unsigned bits = ir::getElementType(read.getType()).getIntOrFloatBitWidth();
      if (MatrixAccess::of(Offsets(to, from, bits / 8)))   // lanes read for each other
        return false;
    }
    layout::TileLayout own =
        getLayoutAttr(copy ? copy.getPtr().getType() : op->getResult(0).getType()).getLayout();
    if (common && *common != own)
      return false;
    common = std::move(own);
  }
  if (!isRead || !common)
    return false;
  constexpr std::int64_t lanes = 32;
  return common->places() * lanes * common->warps() == elementCount(common->shape());
}

}   // namespace

ChannelPlan::ChannelPlan(func::FuncOp kernel) {
  kernel.walk([&](ChannelOp channel) {
    Place place{channel.getChannel().getType()};
    SmallVector<Operation *> users = Users(channel).ops.takeVector();
    if (!users.empty())
      std::tie(place.first, place.last) = rangeIn(commonBlock(users), users);
    place.isStored = llvm::any_of(users, [](Operation *op) { return isa<StoreBoxOp>(op); });
    place.isOfOneThread = readsItsOwn(users);
    place.isReadByUnits =
        !place.channel.getBarriers() && llvm::any_of(users, [](Operation *op) { return isa<ir::DotOp>(op); });
    index_[channel] = places_.size();
    places_.push_back(place);
  });

  // The largest first, each at the lowest place that no channel has which is at work with it.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(places_.size()));
  auto sizeOf = [&](size_t i) { return places_[i].channel.getBytes(); };
  llvm::sort(order, [&](size_t a, size_t b) { return std::pair(sizeOf(b), a) < std::pair(sizeOf(a), b); });
  SmallVector<size_t> placed;
  for (size_t i : order) {
    std::int64_t size = sizeOf(i), at = 0;
    for (size_t other : placed)   // sorted by offset
      if (overlap(places_[i], places_[other]) && places_[other].offset < at + size)
        at = std::max(at, places_[other].offset + sizeOf(other));
    places_[i].offset = at;
    bytes_ = std::max(bytes_, at + size);
    placed.insert(llvm::upper_bound(
                      placed, i, [&](size_t a, size_t b) { return places_[a].offset < places_[b].offset; }),
                  i);
  }
  for (Place &place : places_) {
    place.barriers = bytes_;
    bytes_ += place.channel.getBarrierBytes();
  }
}

bool ChannelPlan::overlap(const Place &a, const Place &b) {
  if (!a.first || !b.first)
    return false;
  if (a.isStored || b.isStored)
    return true;
  Block *block = commonBlock({a.first, a.last, b.first, b.last});
  auto [aFirst, aLast] = rangeIn(block, {a.first, a.last});
  auto [bFirst, bLast] = rangeIn(block, {b.first, b.last});
  return !aLast->isBeforeInBlock(bFirst) && !bLast->isBeforeInBlock(aFirst);
}

bool ChannelPlan::restAt(Operation *op) const {
  return llvm::all_of(places_, [&](const Place &place) {
    if (!place.first)
      return true;
    Operation *here = place.first->getBlock()->findAncestorOpInBlock(*op);
    return !here || here->isBeforeInBlock(place.first) || place.last->isBeforeInBlock(here);
  });
}

SmallVector<size_t> ChannelPlan::endingWith(Operation *op) const {
  SmallVector<size_t> numbers;
  for (auto [i, place] : llvm::enumerate(places_))
    if (place.last == op)
      numbers.push_back(i);
  return numbers;
}

}   // namespace tile::gpu
