// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/channel_schedule.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {

// A slot or a lease that a function takes, or that comes from what hands none on, is of no channel.
static LogicalResult checkHandles(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
    for (Value operand : op->getOperands()) {
      Type type = operand.getType();
      bool isKnown = isa<ChannelType>(type)           ? operand.getDefiningOp<ChannelOp>() != nullptr
                     : isa<SlotType, LeaseType>(type) ? bool(channelOf(operand))
                                                      : true;
      if (!isKnown)
        return op->emitError("the channel of this operand is not known here");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<ChannelSchedule> ChannelSchedule::of(func::FuncOp kernel, const ChannelPlan &plan) {
  if (failed(checkHandles(kernel)))
    return failure();
  ChannelSchedule schedule(plan);
  State state(plan.count());
  schedule.go(kernel.getBody().front(), state);
  bool fails = false;
  for (auto &[op, finding] : schedule.found_) {
    if (!finding.mistake.empty())
      op->emitError(finding.mistake);
    fails |= !finding.mistake.empty();
  }
  if (fails)
    return failure();
  return schedule;
}

// What holds on both paths.
ChannelSchedule::State ChannelSchedule::merged(const State &a, const State &b) {
  State result = a;
  for (auto [to, other] : llvm::zip(result, b)) {
    to.known = to.known && other.known && to.full.size() == other.full.size() && to.taken == other.taken;
    to.taken = std::max(to.taken, other.taken);
    to.unsafe = std::max(to.unsafe, other.unsafe);
    to.rests |= other.rests;
    if (!to.known)
      to.full.clear();
    for (auto [slot, others] : llvm::zip(to.full, other.full)) {
      if (others.younger)
        slot.younger = slot.younger ? std::min(*slot.younger, *others.younger) : others.younger;
      slot.met = slot.met && others.met;
    }
  }
  return result;
}

// The last time that an op is visited its state is the one that all paths agree on.
void ChannelSchedule::go(Block &block, State &state) {
  for (Operation &op : block) {
    TypeSwitch<Operation *>(&op)
        .Case<scf::IfOp>([&](scf::IfOp branch) {
          State other = state;
          go(*branch.thenBlock(), state);
          if (branch.elseBlock())
            go(*branch.elseBlock(), other);
          state = merged(state, other);
        })
        .Case<scf::ForOp>([&](scf::ForOp loop) { goAround(*loop.getBody(), state); })
        .Case<scf::WhileOp>([&](scf::WhileOp loop) { goAround(loop, state); })
        .Case<RolesOp>([&](RolesOp roles) {   // of other threads each
          for (Region &program : roles.getPrograms()) {
            State own = state;
            go(program.front(), own);
          }
        })
        .Default([&](Operation *step) { this->step(step, state); });
    for (size_t channel : plan_->endingWith(&op)) {
      Standing &at = state[channel];
      if (!at.known || at.taken > 0)
        found_[&op].mistake = "a channel ends here with slots that are full or still in use; drain it first";
      at = Standing();
    }
  }
}

void ChannelSchedule::goAround(Block &body, State &state) {
  for (State before;; state = merged(state, before)) {
    if (state == before)
      return;
    before = state;
    go(body, state);
  }
}

void ChannelSchedule::goAround(scf::WhileOp loop, State &state) {
  for (State before;;) {
    before = state;
    go(*loop.getBeforeBody(), state);
    State end = state;
    go(*loop.getAfterBody(), state);
    state = merged(state, before);
    if (state == before) {
      state = end;
      return;
    }
  }
}

ChannelSchedule::Standing &ChannelSchedule::of(Operation *step, State &state) const {
  Value handle = step->getOperand(0);
  return state[plan_->number(isa<ChannelType>(handle.getType()) ? handle : channelOf(handle).getChannel())];
}

bool ChannelSchedule::isOfOneThread(Operation *step) const {
  return plan_->isOfOneThread(plan_->number(step->getOperand(0)));
}

// So many groups may still be on their way: those with as many younger ones have arrived.
std::optional<unsigned> ChannelSchedule::arrived(State &state, std::optional<unsigned> underWay) {
  if (underWay)
    for (Standing &standing : state)
      for (Full &slot : standing.full)
        if (slot.younger && *slot.younger >= *underWay)
          slot.younger.reset();
  return underWay;
}

bool ChannelSchedule::meet(State &state) const {
  bool shows = false;
  for (auto [channel, standing] : llvm::enumerate(state)) {
    standing.unsafe = standing.taken;
    bool hasArrived = !standing.known;
    for (Full &slot : standing.full) {
      hasArrived |= !slot.younger && !slot.met;
      slot.met = !slot.younger;
    }
    shows |= hasArrived && plan_->isReadByUnits(channel);
  }
  return shows;
}

void ChannelSchedule::step(Operation *op, State &state) {
  // With barriers of its own a channel waits for itself alone.
  if (isa<AcquireOp, CommitOp, WaitOp, ReleaseOp, NoLeaseOp, DrainOp>(op)) {
    Value handle = op->getOperand(0);
    auto channel = isa<ChannelType>(handle.getType()) ? handle : channelOf(handle).getChannel();
    if (cast<ChannelType>(channel.getType()).getBarriers())
      return;
  }
  TypeSwitch<Operation *>(op)
      .Case<AcquireOp>([&](AcquireOp acquire) {
        Standing &at = of(acquire, state);
        std::int64_t slots = acquire.getChannel().getType().getSlots();
        Finding &finding = found_[acquire] = {};
        if ((finding.meets = at.rests || (at.unsafe >= slots && !isOfOneThread(acquire))))
          finding.shows = meet(state);
        at.rests = false;
        if (at.known && at.taken >= slots)
          finding.mistake = "this waits forever: no slot of the channel has been released";
        at.taken = std::min(at.taken + 1, slots);
        at.unsafe = std::min(at.unsafe + 1, slots);
      })
      .Case<CommitOp>([&](CommitOp commit) {
        bool later = arrivesLater(commit.getSlot());
        if (later)
          for (Standing &standing : state)
            for (Full &slot : standing.full)
              if (slot.younger)
                ++*slot.younger;
        if (Standing &at = of(commit, state); at.known)
          at.full.push_back({later ? std::optional(0U) : std::nullopt});
      })
      .Case<WaitOp>([&](WaitOp wait) {
        Standing &at = of(wait, state);
        Finding &finding = found_[wait] = {};
        finding.meets = !isOfOneThread(wait);
        if (!at.known) {
          finding.underWay = arrived(state, 0);
        } else if (at.full.empty()) {
          finding.mistake = "this waits forever: no slot of the channel is full, or will be";
        } else {
          finding.meets &= !at.full.front().met;
          finding.underWay = arrived(state, at.full.front().younger);
          at.full.erase(at.full.begin());
        }
        if (finding.meets)
          finding.shows = meet(state) || plan_->isReadByUnits(plan_->number(wait.getChannel()));
      })
      .Case<ReleaseOp>([&](ReleaseOp release) { --of(release, state).taken; })
      .Case<NoLeaseOp>([&](NoLeaseOp none) {   // which is released, as if it were of a slot
        Standing &at = of(none, state);
        ++at.taken;
        ++at.unsafe;
      })
      .Case<DrainOp>([&](DrainOp drain) {
        Standing &at = of(drain, state);
        Finding &finding = found_[drain] = {};
        if (!at.known)
          finding.underWay = arrived(state, 0);
        else if (auto youngest =
                     llvm::find_if(llvm::reverse(at.full), [](const Full &slot) { return slot.younger; });
                 youngest != at.full.rend())
          finding.underWay = arrived(state, youngest->younger);
        at.taken -= static_cast<std::int64_t>(at.full.size());
        if (at.known && at.taken > 0)
          finding.mistake = "this takes back slots that are still in use; release them first";
        at = Standing();
        at.rests = false;
        at.unsafe = drain.getChannel().getType().getSlots();
      });
}

}   // namespace tile::gpu
