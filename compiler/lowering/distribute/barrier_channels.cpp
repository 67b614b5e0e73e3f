// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/barrier_channels.h"

#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

constexpr std::int64_t ParityBit = 16, BarrierBytes = 8, NoSlot = -1;

static Value barrierOf(Distribution &d, ChannelOp channel, bool isEmpty, Value slot) {
  ImplicitLocOpBuilder &b = d.build();
  Value all = d.memory().barriers(b, channel);
  if (isEmpty)
    all = offsetBy(b, all, d.constant(BarrierBytes * channel.getChannel().getType().getSlots()));
  return offsetBy(b, all, arith::MulIOp::create(b, slot, d.constant(BarrierBytes)));
}

// How many warps release a lease of the channel: those of the roles that do, or of one where they take turns.
static std::int64_t consumingWarps(ChannelOp channel, Distribution &d) {
  llvm::SmallDenseSet<std::pair<Operation *, unsigned>> counted;
  std::int64_t warps = 0;
  d.program().walk([&](ReleaseOp release) {
    if (channelOf(release.getLease()) != channel)
      return;
    Region *program = release->getParentRegion();
    while (!isa<RolesOp>(program->getParentOp()))
      program = program->getParentOp()->getParentRegion();
    auto roles = cast<RolesOp>(program->getParentOp());
    if (roles.getInTurn() && !counted.empty())
      return;
    if (counted.insert({roles, program->getRegionNumber()}).second)
      warps += roles.getWarps()[program->getRegionNumber()];
  });
  return warps;
}

// Whether it tells that a role has ended: one thread arrives for all.
static bool isEnd(ChannelOp channel) {
  return llvm::any_of(channel.getChannel().getUsers(), llvm::IsaPred<RolesOp>);
}

// Whether it hands over the turn alone. All threads arrive then, each for itself: nobody can be a turn
// behind.
static bool isTurn(ChannelOp channel) {
  return channel.getChannel().getType().getTiles().empty() && !isEnd(channel);
}

// One thread sets up all barriers, so that one fence is enough.
static bool isLastWithBarriers(ChannelOp channel) {
  for (Operation *next = channel->getNextNode(); next; next = next->getNextNode())
    if (auto other = dyn_cast<ChannelOp>(next); other && other.getChannel().getType().getBarriers())
      return false;
  return true;
}

void initBarriers(ChannelOp channel, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  d.inBranch(d.threads().isFirst(), [&] {
    // Nobody, where a loop was found to have no iterations once it was the role's: a barrier counts one at
    // least.
    const std::int64_t warps = std::max<std::int64_t>(1, consumingWarps(channel, d)), threads = 32 * warps;
    Value fill = d.constant(isTurn(channel) ? threads : 1);
    Value release = d.constant(isTurn(channel) ? threads : warps * clusterOf(channel));
    for (std::int64_t slot = 0; slot < channel.getChannel().getType().getSlots(); ++slot) {
      NVVM::MBarrierInitOp::create(b, barrierOf(d, channel, /*isEmpty=*/false, d.constant(slot)), fill,
                                   Value());
      NVVM::MBarrierInitOp::create(b, barrierOf(d, channel, /*isEmpty=*/true, d.constant(slot)), release,
                                   Value());
    }
    if (isLastWithBarriers(channel))
      NVVM::FenceMbarrierInitOp::create(b);
  });
}

Value advanceWithParity(ImplicitLocOpBuilder &b, Value cursor, std::int64_t slots) {
  auto number = [&](std::int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  Value up = arith::AddIOp::create(b, cursor, number(1));
  Value slot = arith::AndIOp::create(b, up, number((std::int64_t(1) << ParityBit) - 1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, slot, number(slots));
  // Slot 0 with the other parity: without `slots`, and with the bit flipped.
  Value first = arith::XOrIOp::create(b, up, number(slots | std::int64_t(1) << ParityBit));
  return arith::SelectOp::create(b, wraps, first, up);
}

static Value slotOf(Distribution &d, Value cursor) {
  return arith::AndIOp::create(d.build(), cursor, d.constant((std::int64_t(1) << ParityBit) - 1));
}

static Value parityOf(Distribution &d, Value cursor) {
  return arith::ShRUIOp::create(d.build(), cursor, d.constant(ParityBit));
}

void waitForPhase(Distribution &d, Value mbarrier, Value parity) {
  constexpr std::int64_t nanoseconds = 10'000'000;   // that one try may take
  NVVM::MBarrierTryWaitParityOp::create(d.build(), mbarrier, parity, d.constant(nanoseconds));
}

Value acquireEmpty(AcquireOp acquire, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  auto channel = acquire.getChannel().getDefiningOp<ChannelOp>();
  Value cursor = d.registers(acquire.getCursor()).front(), slot = slotOf(d, cursor);
  Value before = arith::XOrIOp::create(b, parityOf(d, cursor), d.constant(1));
  waitForPhase(d, barrierOf(d, channel, /*isEmpty=*/true, slot), before);
  // All bytes of the boxes land, also those that lie outside of the tensor.
  std::int64_t bytes = 0;
  for (Operation *user : acquire.getSlot().getUsers())
    if (auto copy = dyn_cast<CopyBoxOp>(user)) {
      RankedTensorType tile = channel.getChannel().getType().getTile(copy.getTile());
      bytes += tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
    }
  if (isTurn(channel))   // the commit says when
    return slot;
  Value barrier = barrierOf(d, channel, /*isEmpty=*/false, slot);
  d.inBranch(d.threads().isFirst(), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(b, Type(), barrier, d.constant(bytes), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
  });
  return slot;
}

static Value isFirstLane(Distribution &d) {
  return arith::CmpIOp::create(d.build(), arith::CmpIPredicate::eq, d.threads().lane(), d.constant(0));
}

void fillSlot(CommitOp commit, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  ChannelOp channel = channelOf(commit.getSlot());
  if (!isTurn(channel))
    return;
  Value full = barrierOf(d, channel, /*isEmpty=*/false, d.registers(commit.getSlot()).front());
  NVVM::MBarrierArriveOp::create(b, Type(), full, Value());
}

SmallVector<Value> boxCoordinates(Distribution &d, ArrayRef<Value> corner, ArrayRef<std::int64_t> at) {
  SmallVector<Value> place(corner);
  for (unsigned axis : {0U, 1U})
    if (at[axis]) {
      Value &c = place[place.size() - 2 + axis];
      c = arith::AddIOp::create(d.build(), c, d.constant(at[axis]));
    }
  std::reverse(place.begin(), place.end());
  return place;
}

void copyBoxes(CopyBoxOp copy, Value to, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  ChannelOp channel = channelOf(copy.getSlot());
  RankedTensorType tile = channel.getChannel().getType().getTile(copy.getTile());
  Value map = d.registers(copy.getMap()).front(), slot = d.registers(copy.getSlot()).front();
  SmallVector<Value> corner;   // fastest axis last
  for (Value coordinate : copy.getCoords())
    corner.push_back(d.registers(coordinate).front());
  d.inBranch(d.threads().isFirst(), [&] {
    Value barrier = barrierOf(d, channel, /*isEmpty=*/false, slot);
    const unsigned ctas = copy.getShared() ? clusterOf(copy) : 1;
    const std::optional<layout::TensorBoxes> boxes = boxesOf(tile, ctas);
    const std::int64_t bytes = tile.getElementTypeBitWidth() / 8;
    const size_t own = boxes->parts.size() / ctas;   // of this CTA: those of the first one, so far on
    Value all;
    if (ctas > 1) {
      const layout::TensorBoxes::Part &second = boxes->parts[own];
      Value rank = NVVM::BlockInClusterIdXOp::create(b, b.getI32Type());
      auto times = [&](std::int64_t by) { return arith::MulIOp::create(b, rank, d.constant(by)); };
      for (unsigned axis : {0U, 1U})
        if (second.at[axis]) {
          Value &c = corner[corner.size() - 2 + axis];
          c = arith::AddIOp::create(b, c, times(second.at[axis]));
        }
      to = offsetBy(b, to, times(second.offset * bytes));
      all = arith::ConstantIntOp::create(b, (1 << ctas) - 1, 16);
    }
    for (const auto &[at, offset] : ArrayRef(boxes->parts).take_front(own)) {
      SmallVector<Value> place = boxCoordinates(d, corner, at);
      Value target = offsetBy(b, to, d.constant(offset * bytes));
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 7), target), map,
          place, barrier, ValueRange(), /*multicastMask=*/all, /*l2CacheHint=*/Value(),
          NVVM::TMALoadMode::TILE,
          /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
    }
  });
}

// Slots before the cursor were filled last in its round, the others in the round before: in the first one
// that counts as over.
static void awaitCopies(ChannelOp channel, Value cursor, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  Value now = slotOf(d, cursor), round = parityOf(d, cursor);
  Value before = arith::XOrIOp::create(b, round, d.constant(1));
  for (std::int64_t slot = 0; slot < channel.getChannel().getType().getSlots(); ++slot) {
    Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, d.constant(slot), now);
    Value parity = arith::SelectOp::create(b, isBefore, round, before);
    waitForPhase(d, barrierOf(d, channel, /*isEmpty=*/false, d.constant(slot)), parity);
  }
}

void awaitCopies(AwaitCopiesOp await, Distribution &d) {
  awaitCopies(await.getChannel().getDefiningOp<ChannelOp>(), d.registers(await.getCursor()).front(), d);
}

void tellEnd(RolesOp roles, Distribution &d) {
  if (!roles || !roles.getEnd())
    return;
  ImplicitLocOpBuilder &b = d.build();
  auto channel = roles.getEnd().getDefiningOp<ChannelOp>();
  d.inBranch(d.threads().isFirst(), [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, 0U, UnitAttr());   // what it stores of an earlier program
    NVVM::MBarrierArriveOp::create(b, Type(), barrierOf(d, channel, /*isEmpty=*/false, d.constant(0)),
                                   Value());
  });
}

// Tries whether the slot is free, and if not, whether the other role has ended, again and again.
void awaitSlotOrEnd(AwaitSlotOrEndOp await, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  auto channel = await.getChannel().getDefiningOp<ChannelOp>();
  auto end = await->getParentOfType<RolesOp>().getEnd().getDefiningOp<ChannelOp>();
  Value cursor = d.registers(await.getCursor()).front();
  Value before = arith::XOrIOp::create(b, parityOf(d, cursor), d.constant(1));
  Value slot = barrierOf(d, channel, /*isEmpty=*/true, slotOf(d, cursor));
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value isFree = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), slot, before, Value());
  Value waits = arith::XOrIOp::create(b, isFree, arith::ConstantIntOp::create(b, 1, 1));
  scf::ConditionOp::create(b, waits, ValueRange());
  b.createBlock(&loop.getAfter());
  Value hasEnded = NVVM::MBarrierTestWaitOp::create(
      b, b.getI1Type(), barrierOf(d, end, /*isEmpty=*/false, d.constant(0)), d.constant(0));
  d.inBranch(hasEnded, [&] {
    for (auto [copied, at] : llvm::zip(await.getCopied(), await.getCursors()))
      awaitCopies(copied.getDefiningOp<ChannelOp>(), d.registers(at).front(), d);
    NVVM::Exit::create(b);
  });
  scf::YieldOp::create(b);
}

Value noSlot(Distribution &d) { return d.constant(NoSlot); }

Value waitFull(WaitOp wait, Distribution &d) {
  auto channel = wait.getChannel().getDefiningOp<ChannelOp>();
  Value cursor = d.registers(wait.getCursor()).front(), slot = slotOf(d, cursor);
  Value parity = parityOf(d, cursor);
  waitForPhase(d, barrierOf(d, channel, /*isEmpty=*/false, slot), parity);
  return slot;
}

// Whether lanes have read for themselves what a lease shows: the warp's arrival is for all of them.
static bool isReadByLanes(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) {
    return isa<ReadOp>(user) || (isa<ViewOp, ir::PermuteOp>(user) && isReadByLanes(user->getResult(0)));
  });
}

// Whether a product has read the slot in the release's own block: all lanes of a warp have then come
// together.
static bool isMultiplied(Value v, Block *block) {
  return llvm::any_of(v.getUsers(), [&](Operation *user) {
    return isa<ViewOp, ir::PermuteOp>(user) ? isMultiplied(user->getResult(0), block)
                                            : isa<ir::DotOp>(user) && user->getBlock() == block;
  });
}

// The waits that a lease may come from: one, or those of the loops that carry it.
static SmallVector<WaitOp> waitsBehind(Value lease) {
  SmallVector<WaitOp> waits;
  SmallVector<Value> open{lease};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    if (auto wait = v.getDefiningOp<WaitOp>()) {
      waits.push_back(wait);
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(v);
    auto loop =
        argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : v.getDefiningOp<scf::ForOp>();
    if (!loop)
      continue;
    const unsigned carried = argument ? argument.getArgNumber() - 1 : cast<OpResult>(v).getResultNumber();
    open.append({loop.getInitArgs()[carried], loop.getYieldedValues()[carried]});
  }
  return waits;
}

// The first lane arrives for its warp. No other lane may still wait for this slot, or read it.
static bool mustMeet(ReleaseOp release) {
  auto wait = release.getLease().getDefiningOp<WaitOp>();
  return llvm::any_of(waitsBehind(release.getLease()), isReadByLanes) ||
         (wait && !isMultiplied(wait, release->getBlock()));
}

void releaseSlot(ReleaseOp release, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  ChannelOp channel = channelOf(release.getLease());
  Value barrier = barrierOf(d, channel, /*isEmpty=*/true, d.registers(release.getLease()).front());
  if (isTurn(channel)) {
    NVVM::MBarrierArriveOp::create(b, Type(), barrier, Value());
    return;
  }
  if (mustMeet(release))
    NVVM::SyncWarpOp::create(b, d.constant(-1));
  Value isFirst = isFirstLane(d);
  if (!release.getLease().getDefiningOp<WaitOp>()) {   // carried by a loop: it may be of no slot
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, d.registers(release.getLease()).front(),
                                        d.constant(NoSlot));
    isFirst = arith::AndIOp::create(b, isFirst, isOne);
  }
  d.inBranch(isFirst, [&] {
    NVVM::MBarrierArriveOp::create(b, Type(), barrier, Value());
    // The others' producers fill this CTA's slots, too, and wait for all.
    const unsigned ctas = clusterOf(release);
    Value rank = ctas > 1 ? Value(NVVM::BlockInClusterIdXOp::create(b, b.getI32Type())) : Value();
    for (unsigned other = 1; other < ctas; ++other) {
      Value cta = arith::XOrIOp::create(b, rank, d.constant(other));
      Value there = NVVM::MapaOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 7), barrier, cta);
      auto arrival = NVVM::MBarrierArriveOp::create(b, Type(), there, Value(), NVVM::MemScopeKind::CLUSTER);
      if (llvm::none_of(waitsBehind(release.getLease()), isReadByLanes))
        arrival->setAttr(AfterMatrixReadsName, b.getUnitAttr());
    }
  });
}

}   // namespace tile::gpu
