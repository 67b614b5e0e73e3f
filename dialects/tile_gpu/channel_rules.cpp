// SPDX-License-Identifier: MIT
// The life of slots and leases. A slot is acquired, filled and committed within a block. A lease may go
// further: a loop carries it, a branch gives it; on every way it ends in exactly one release. So may the slot
// of a channel without tiles, the turn, which ends in a commit.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::gpu;

// What a region hands back, which verifiers of other operations may ask before the region itself is verified;
// null where it does not.
static Value givenBack(Region &region, unsigned index) {
  if (region.empty() || region.front().empty())
    return nullptr;
  Operation &end = region.front().back();
  return end.hasTrait<OpTrait::IsTerminator>() && index < end.getNumOperands() ? end.getOperand(index)
                                                                               : Value();
}

Value tile::gpu::handedOn(Value handle) {
  auto argument = dyn_cast<BlockArgument>(handle);
  Operation *op = argument ? argument.getOwner()->getParentOp() : handle.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber() : cast<OpResult>(handle).getResultNumber();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
    index -= argument ? loop.getNumInductionVars() : 0;
    return index < loop.getInitArgs().size() ? loop.getInitArgs()[index] : Value();
  }
  if (auto loop = dyn_cast_or_null<scf::WhileOp>(op)) {
    if (!argument || argument.getParentRegion() == &loop.getAfter())
      return givenBack(loop.getBefore(), index + 1);   // behind the condition
    return index < loop.getInits().size() ? loop.getInits()[index] : Value();
  }
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op))
    return givenBack(branch.getThenRegion(), index);
  return nullptr;
}

// An op that a verifier has not seen yet may make something else.
static ChannelOp madeBy(Value channel) {
  return isa<ChannelType>(channel.getType()) ? channel.getDefiningOp<ChannelOp>() : ChannelOp();
}

ChannelOp tile::gpu::channelOf(Value handle) {
  for (; handle; handle = handedOn(handle)) {
    if (auto acquire = handle.getDefiningOp<AcquireOp>())
      return madeBy(acquire.getChannel());
    if (auto none = handle.getDefiningOp<NoLeaseOp>())
      return madeBy(none.getChannel());
    if (auto wait = handle.getDefiningOp<WaitOp>())
      return madeBy(wait.getChannel());
  }
  return nullptr;
}

bool tile::gpu::arrivesLater(Value slot) {
  return llvm::any_of(slot.getUsers(), [](Operation *user) {
    auto copy = dyn_cast<CopyOp>(user);
    return copy && copy.getAsync();
  });
}

LogicalResult CommitOp::verify() {
  return getSlot().getDefiningOp<AcquireOp>() ? success()
                                              : LogicalResult(emitOpError("needs the slot of an acquire"));
}

namespace {

// Follows a lease to where it ends. Handed on, it becomes another value, which is followed in turn.
class LeaseRules {
 public:
  LeaseRules(ChannelOp channel, Value lease) : channel_(channel) { follow(lease); }

  LogicalResult check() {
    for (size_t i = 0; i < leases_.size(); ++i) {   // grows
      Value lease = leases_[i];
      FailureOr<Operation *> end = endIn(*lease.getParentBlock(), lease);
      if (failed(end))
        return failure();
      if (!*end) {
        auto argument = dyn_cast<BlockArgument>(lease);
        Operation *giver = argument ? argument.getOwner()->getParentOp() : lease.getDefiningOp();
        return giver->emitOpError("gives a lease that is not released");
      }
    }
    return success();
  }

 private:
  void follow(Value lease) {
    if (isa<LeaseType, SlotType>(lease.getType()) && !llvm::is_contained(leases_, lease))
      leases_.push_back(lease);
  }

  // What looks at a lease: views, and what is made of them.
  static void addLooks(Value v, SmallVectorImpl<Operation *> &looks) {
    for (Operation *user : v.getUsers()) {
      looks.push_back(user);
      if (isa<ViewOp, ir::PermuteOp>(user))
        addLooks(user->getResult(0), looks);
    }
  }

  // The op of the block that ends the lease, itself or in its regions; null if none does.
  FailureOr<Operation *> endIn(Block &block, Value lease) {
    SmallVector<Operation *> users, here;
    addLooks(lease, users);
    for (Operation *user : users)
      if (Operation *op = block.findAncestorOpInBlock(*user); op && !llvm::is_contained(here, op))
        here.push_back(op);
    llvm::sort(here, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    Operation *end = nullptr;
    for (Operation *op : here) {
      bool isHere = llvm::is_contained(op->getOperands(), lease);
      auto isInside = [&](Operation *user) { return op->isProperAncestor(user); };
      if (end || (isHere && llvm::any_of(users, isInside)))
        return op->emitOpError("uses a lease that was released or handed on before");
      FailureOr<bool> ends = isHere ? endsAt(op, lease) : endsWithin(op, lease);
      if (failed(ends))
        return failure();
      if (*ends)
        end = op;
    }
    return end;
  }

  FailureOr<bool> endsAt(Operation *op, Value lease) {
    if (isa<ViewOp>(op))
      return false;
    if (llvm::count(op->getOperands(), lease) > 1)
      return op->emitOpError("takes a lease twice");
    unsigned index = static_cast<unsigned>(llvm::find(op->getOperands(), lease) - op->operand_begin());
    if (isa<ReleaseOp, CommitOp>(op))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (index < loop.getNumControlOperands())
        return op->emitOpError("takes a lease as a loop bound");
      unsigned carried = index - loop.getNumControlOperands();
      if (loop.getRegion().empty() || loop.getRegion().getNumArguments() != 1 + loop.getInitArgs().size() ||
          carried >= loop->getNumResults())
        return op->emitOpError("does not carry all its initial values");
      if (channelOf(givenBack(loop.getRegion(), carried)) != channel_)
        return op->emitOpError("carries leases of different channels in one value");
      follow(loop.getRegionIterArg(carried));
      follow(loop.getResult(carried));
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (channelOf(givenBack(loop.getAfter(), index)) != channel_ ||
          loop.getBefore().getNumArguments() <= index)
        return op->emitOpError("carries leases of different channels in one value");
      follow(loop.getBefore().getArgument(index));
      return true;
    }
    if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      auto loop = dyn_cast<scf::WhileOp>(op->getParentOp());
      if (!loop || index == 0 || loop.getAfter().empty() || loop.getAfter().getNumArguments() < index ||
          loop->getNumResults() < index)
        return op->emitOpError("hands on a lease that nothing receives");
      follow(loop.getAfter().getArgument(index - 1));
      follow(loop.getResult(index - 1));
      return true;
    }
    if (isa<scf::YieldOp>(op)) {
      if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp())) {
        for (Region &region : branch->getRegions())
          if (channelOf(givenBack(region, index)) != channel_ || index >= branch->getNumResults())
            return branch.emitOpError("gives leases of different channels in one value");
        follow(branch.getResult(index));
      }
      return true;   // a loop's next value is that of its first, which is followed
    }
    return op->emitOpError("must not use a lease: only view, release, loops and branches may");
  }

  FailureOr<bool> endsWithin(Operation *op, Value lease) {
    // The turn may be handed on in an iteration of many, the last one.
    if (isa<scf::ForOp>(op) && channel_.getChannel().getType().getTiles().empty())
      return true;
    SmallVector<bool> ends;
    for (Region &region : op->getRegions()) {
      bool ended = false;
      if (!region.empty()) {
        FailureOr<Operation *> end = endIn(region.front(), lease);
        if (failed(end))
          return failure();
        ended = *end;
      }
      ends.push_back(ended);
    }
    if (llvm::none_of(ends, [](bool e) { return e; }))
      return false;
    if (!isa<scf::IfOp>(op))
      return op->emitOpError("releases a lease from outside the loop in each iteration");
    if (!llvm::all_equal(ends))
      return op->emitOpError("releases a lease in only one of its branches");
    return true;
  }

  ChannelOp channel_;
  SmallVector<Value> leases_;
};

}   // namespace

template <class Giver> static LogicalResult verifyGiver(Giver giver) {
  auto channel = giver.getChannel().template getDefiningOp<ChannelOp>();
  return channel ? LeaseRules(channel, giver.getLease()).check()
                 : LogicalResult(giver.emitOpError("needs the channel itself, as tile_gpu.channel gives it"));
}

LogicalResult AcquireOp::verify() {
  if (!getChannel().getDefiningOp<ChannelOp>())
    return emitOpError("needs the channel itself, as tile_gpu.channel gives it");
  if (getChannel().getType().getTiles().empty())   // the turn itself, which is held as a lease is
    return LeaseRules(getChannel().getDefiningOp<ChannelOp>(), getSlot()).check();
  SmallVector<Operation *> users(getSlot().getUsers());
  for (Operation *user : users)
    if (user->getBlock() != (*this)->getBlock())
      return user->emitOpError("is in another block than the acquire of its slot");
  llvm::sort(users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *commit = nullptr;
  for (Operation *user : users) {
    if (commit)
      return user->emitOpError("comes after the commit of its slot");
    if (isa<CommitOp>(user))
      commit = user;
  }
  if (!commit)
    return emitOpError("has no commit of its slot in its block");
  for (Operation *op = (*this)->getNextNode(); op && op != commit; op = op->getNextNode())
    if (auto other = dyn_cast<AcquireOp>(op); other && other.getChannel() == getChannel())
      return other.emitOpError("comes before the commit of the previous acquire");
  return success();
}

LogicalResult WaitOp::verify() { return verifyGiver(*this); }
LogicalResult NoLeaseOp::verify() { return verifyGiver(*this); }
