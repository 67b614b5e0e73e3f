// SPDX-License-Identifier: MIT
// Channels whose producers and consumers are the same threads: cp.async copies, or loads and stores where
// units are too small for them, and reads with ldmatrix where the layouts allow it. A slot that was
// committed is full once the thread's own copies have arrived and all threads have met; a slot that was read
// is empty once they have met again. What to wait for, and where to meet, channel_schedule.h says.
#include "compiler/lowering/distribute/barrier_channels.h"
#include "compiler/lowering/distribute/shared_offsets.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/words.h"
#include "compiler/lowering/distribute/write_tile.h"

#include "compiler/analysis/layout_choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::TileLayout;

// Of a tile of the slot that a slot or a lease stands for.
static Value slotAddress(Distribution &d, Value handle, unsigned tile) {
  ChannelOp channel = channelOf(handle);
  ChannelType type = channel.getChannel().getType();
  Value base = d.memory().channel(d.build(), channel, type.getTileOffset(tile));
  Value number = d.registers(handle).front();
  return offsetBy(d.build(), base, arith::MulIOp::create(d.build(), number, d.constant(type.getSlotBytes())));
}

static LogicalResult copyTile(Distribution &d, CopyOp op, Value slot) {
  ImplicitLocOpBuilder &b = d.build();
  RankedTensorType tile = channelOf(op.getSlot()).getChannel().getType().getTile(op.getTile());
  std::int64_t bytes = tile.getElementType().getIntOrFloatBitWidth() / 8;
  TileLayout layout = layoutOf(op.getPtr());
  TileLayout buffer = getLayoutAttr(tile).getLayout();
  Offsets offsets(layout, buffer, bytes);
  std::int64_t vector = op.getAsync().value_or(1);
  if (offsets.run(16) < vector)
    return op.emitOpError() << "copies " << vector << " elements at a time, but only " << offsets.run(16)
                            << " are contiguous in the slot";

  Registers from(d.registers(op.getPtr())), masks, insides;
  if (op.getMask())
    masks = Registers(d.registers(op.getMask()));
  if (op.getInside())
    insides = Registers(d.registers(op.getInside()));
  Value condition = op.getCondition() ? d.registers(op.getCondition()).front() : Value();
  Columns lanes = offsets.lanes(), warps = offsets.warps();
  Value thread = d.threads().ofThread(lanes, warps);
  auto placeOf = [&](std::int64_t reg) {
    return offsetBy(b, slot,
                    d.threads().withConstant(thread, reachOf(lanes, warps), offsets.ofRegister(reg)));
  };
  auto predicateOf = [&](std::int64_t reg) {
    Value predicate = masks.empty() ? Value() : masks[static_cast<size_t>(reg)];
    if (condition)
      predicate = predicate ? Value(arith::AndIOp::create(b, predicate, condition)) : condition;
    return predicate;
  };
  auto insideOf = [&](std::int64_t reg) -> Value {   // in bytes
    if (insides.empty())
      return nullptr;
    Value count = arith::MinUIOp::create(b, insides[static_cast<size_t>(reg)], d.constant(vector));
    return arith::MulIOp::create(b, count, d.constant(bytes));
  };
  if (!op.getAsync()) {   // all loads first, so that they are on their way together
    // Neighbours that are one thread's are addressed by the first of them, and stored as one.
    AxisFacts pointers = d.facts().of(op.getPtr());
    std::int64_t run = std::min(neighbours(layout, pointers, bytes), offsets.run(16));
    Registers loaded;
    for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
      Value at = from[static_cast<size_t>(reg / run * run)];
      if (reg % run != 0)
        at = ir::AddPtrOp::create(b, at.getType(), at, d.constant(reg % run), UnitAttr());
      loaded.push_back(LoadGlobalOp::create(b, tile.getElementType(), at, predicateOf(reg), ValueRange(),
                                            op.getCache(), op.getEvict(), /*is_volatile=*/false)
                           .getResult(0));
    }
    for (std::int64_t reg = 0; reg < layout.places(); reg += run)
      storeRun(b, ArrayRef(loaded).slice(static_cast<size_t>(reg), static_cast<size_t>(run)), placeOf(reg));
    return success();
  }
  for (std::int64_t reg = 0; reg < layout.places(); reg += vector) {
    Value predicate = predicateOf(reg), inside = insideOf(reg), place = placeOf(reg);
    CopyGlobalOp::create(b, from[static_cast<size_t>(reg)], place, static_cast<uint32_t>(vector * bytes),
                         inside, predicate, op.getEvict());
  }
  return success();
}

static Registers readMatrices(Distribution &d, const Offsets &offsets, const MatrixAccess &read, Value slot,
                              Type element, std::int64_t places) {
  ImplicitLocOpBuilder &b = d.build();
  Columns lanes = read.rows, warps = offsets.warps();
  lanes.resize(5, 0);   // fewer matrices: the addresses of the last lanes are not looked at
  Value thread = d.threads().ofThread(lanes, warps);
  Registers result(static_cast<size_t>(places));
  std::int64_t step = std::int64_t(1) << (read.first + read.count), matrices = std::int64_t(1) << read.count;
  for (std::int64_t reg = 0; reg < places; reg += step) {
    Value at =
        offsetBy(b, slot, d.threads().withConstant(thread, reachOf(lanes, warps), offsets.ofRegister(reg)));
    for (auto [i, word] :
         llvm::enumerate(loadMatrices(b, static_cast<unsigned>(matrices), read.transposed, at)))
      llvm::copy(fromWords(b, word, element),
                 result.begin() + reg + static_cast<std::int64_t>(i << read.first));
  }
  return result;
}

static Registers readVectors(Distribution &d, const Offsets &offsets, Value slot, Type element,
                             std::int64_t places) {
  ImplicitLocOpBuilder &b = d.build();
  Columns lanes = offsets.lanes(), warps = offsets.warps();
  Value thread = d.threads().ofThread(lanes, warps);
  std::int64_t run = offsets.run(16);
  Registers result;
  for (std::int64_t reg = 0; reg < places; reg += run) {
    Value at =
        offsetBy(b, slot, d.threads().withConstant(thread, reachOf(lanes, warps), offsets.ofRegister(reg)));
    llvm::append_range(result, loadRun(b, element, run, at));
  }
  return result;
}

// Whether its steps are those of barrier_channels.h.
static bool hasBarriers(Value channel) { return cast<ChannelType>(channel.getType()).getBarriers(); }

static void channel(ChannelOp channel, Distribution &d) {   // its place is known from the beginning
  if (hasBarriers(channel))
    initBarriers(channel, d);
}

static void cursor(CursorOp cursor, Distribution &d) {
  d.set(cursor, {d.constant(static_cast<std::int64_t>(cursor.getSlot()))});
}

static void advance(AdvanceOp advance, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  if (CursorType cursor = advance.getCursor().getType(); cursor.getParity())
    return d.set(advance,
                 {advanceWithParity(b, d.registers(advance.getCursor()).front(), cursor.getSlots())});
  Value one = d.constant(1), up = arith::AddIOp::create(b, d.registers(advance.getCursor()).front(), one);
  Value slots = d.constant(advance.getCursor().getType().getSlots());
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, up, slots);
  d.set(advance, {arith::SelectOp::create(b, wraps, d.constant(0), up)});
}

static void meetAt(Operation *step, Distribution &d) {
  if (!d.schedule().meets(step))
    return;
  if (d.schedule().showsToUnits(step))
    showToUnits(d.build());
  d.sync(/*shared=*/true);
}

static void acquire(AcquireOp acquire, Distribution &d) {
  if (hasBarriers(acquire.getChannel()))
    return d.set(acquire.getSlot(), {acquireEmpty(acquire, d)});
  meetAt(acquire, d);
  d.set(acquire.getSlot(), Registers(d.registers(acquire.getCursor())));
}

static LogicalResult copy(CopyOp copy, Distribution &d) {
  return copyTile(d, copy, slotAddress(d, copy.getSlot(), copy.getTile()));
}

static void put(PutOp put, Distribution &d) {
  const RankedTensorType tile = channelOf(put.getSlot()).getChannel().getType().getTile(put.getTile());
  const Registers values(d.registers(put.getValue()));
  writeTile(d, layoutOf(put.getValue()), tile, slotAddress(d, put.getSlot(), put.getTile()), values);
}

static void copyBox(CopyBoxOp copy, Distribution &d) {
  copyBoxes(copy, slotAddress(d, copy.getSlot(), copy.getTile()), d);
}

static void commit(CommitOp commit, Distribution &d) {
  if (hasBarriers(channelOf(commit.getSlot()).getChannel()))
    fillSlot(commit, d);
  else if (arrivesLater(commit.getSlot()))
    NVVM::CpAsyncCommitGroupOp::create(d.build());
}

static void awaitOwnCopies(AwaitCopiesOp await, Distribution &d) { awaitCopies(await, d); }

static void awaitOwnSlot(AwaitSlotOrEndOp await, Distribution &d) { awaitSlotOrEnd(await, d); }

static void waitForCopies(Operation *step, Distribution &d) {
  if (std::optional<unsigned> groups = d.schedule().underWay(step))
    NVVM::CpAsyncWaitGroupOp::create(d.build(), *groups);
}

static void wait(WaitOp wait, Distribution &d) {
  if (hasBarriers(wait.getChannel()))
    return d.set(wait.getLease(), {waitFull(wait, d)});
  waitForCopies(wait, d);
  meetAt(wait, d);
  d.set(wait.getLease(), Registers(d.registers(wait.getCursor())));
}

static void drain(DrainOp drain, Distribution &d) { waitForCopies(drain, d); }

static void view(ViewOp view, Distribution &d) {
  d.set(view.getResult(), {slotAddress(d, view.getLease(), view.getTile())});
}

static void read(ReadOp read, Distribution &d) {
  TileLayout layout = layoutOf(read.getResult()), buffer = layoutOf(read.getView());
  Type element = ir::getElementType(read.getType());
  Offsets offsets(layout, buffer, element.getIntOrFloatBitWidth() / 8);
  Value slot = d.registers(read.getView()).front();
  if (std::optional<MatrixAccess> matrices = MatrixAccess::of(offsets))
    d.set(read.getResult(), readMatrices(d, offsets, *matrices, slot, element, layout.places()));
  else
    d.set(read.getResult(), readVectors(d, offsets, slot, element, layout.places()));
}

static void noLease(NoLeaseOp none, Distribution &d) { d.set(none.getLease(), {noSlot(d)}); }

static void release(ReleaseOp release, Distribution &d) {
  if (hasBarriers(channelOf(release.getLease())))
    releaseSlot(release, d);   // else the next meeting tells the others
}

void addChannels(Handlers &handlers) {
  handlers.add(channel);
  handlers.add(cursor);
  handlers.add(advance);
  handlers.add(acquire);
  handlers.add(copy);
  handlers.add(put);
  handlers.add(copyBox);
  handlers.add(commit);
  handlers.add(awaitOwnCopies);
  handlers.add(awaitOwnSlot);
  handlers.add(wait);
  handlers.add(drain);
  handlers.add(view);
  handlers.add(read);
  handlers.add(noLease);
  handlers.add(release);
}

}   // namespace tile::gpu
