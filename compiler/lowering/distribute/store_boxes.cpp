// SPDX-License-Identifier: MIT
// Tiles that the copy engine stores or adds, some columns at a time:
//
//    accumulator 128 x 256, slots of 128 x 64        wait until slot 0 has been read, all meet
//                                                    registers of columns 0 .. 63 to slot 0, fence, all meet
//                                                    one thread: store slot 0
//                                                    the same for columns 64 .. 127 and slot 1, and so on
//
// One thread gives all stores of a role: it alone can wait for them.
#include "compiler/layout/first_columns.h"
#include "compiler/lowering/distribute/barrier_channels.h"
#include "compiler/lowering/distribute/shared_offsets.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/write_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

using layout::FirstColumns;
using layout::TileLayout;

static LogicalResult storeBox(StoreBoxOp store, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  ChannelType channel = store.getChannel().getType();
  RankedTensorType slotTile = channel.getTile(0);
  const TileLayout layout = layoutOf(store.getValue());
  const std::int64_t width = slotTile.getDimSize(1), columns = ir::getShape(store.getValue().getType())[1];
  std::optional<FirstColumns> first = FirstColumns::of(layout, width);
  std::optional<layout::TensorBoxes> boxes = boxesOf(slotTile);
  if (!first || !boxes || channel.getSlots() % first->groups != 0)
    return store.emitError("the layout of this tile does not let its threads store some columns at a time");
  Registers values(d.registers(store.getValue()));
  Value map = d.registers(store.getMap()).front();
  SmallVector<Value> corner;
  for (Value coordinate : store.getCoords())
    corner.push_back(d.registers(coordinate).front());
  // Groups of warps store their own columns at the same time, each by a slot of its own.
  const std::int64_t groups = first->groups, ofGroup = columns / groups, slots = channel.getSlots() / groups;
  auto memoryOf = [&](std::int64_t from, std::int64_t group) {
    return d.memory().channel(b, store.getChannel(),
                              (from / width % slots * groups + group) * channel.getSlotBytes());
  };
  Value own;   // of the warp's group
  if (groups > 1)
    own = arith::MulIOp::create(b, d.threads().ofThread(Columns(5, 0), first->group),
                                d.constant(channel.getSlotBytes()));
  // Sums that are added anew in each step go on their way all at once, if each part of them has a slot.
  const bool allAtOnce = store.getAdds() && slots * width == ofGroup;
  const std::int64_t together = allAtOnce ? ofGroup : width;
  for (std::int64_t begin = 0; begin < ofGroup; begin += together) {
    d.inBranch(d.threads().isFirst(), [&] {   // the stores that had these slots have read them
      NVVM::CpAsyncBulkWaitGroupOp::create(b, static_cast<uint32_t>(allAtOnce ? 0 : slots - 1),
                                           b.getUnitAttr());
    });
    d.barrier();
    for (std::int64_t from = begin; from < begin + together; from += width) {
      Registers part;
      for (std::int64_t reg = 0; reg < first->part.places(); ++reg) {
        layout::Coordinates at = first->part.coordinates({reg, 0, 0, 0});
        at[1] += from;
        part.push_back(values[static_cast<size_t>(layout.place(at).reg)]);
      }
      Value memory = memoryOf(from, 0);
      writeTile(d, first->part, slotTile, own ? offsetBy(b, memory, own) : memory, part);
    }
    showToUnits(b);
    d.barrier();
    d.inBranch(d.threads().isFirst(), [&] {
      for (std::int64_t from = begin; from < begin + together; from += width)
        for (std::int64_t group = 0; group < groups; ++group)
          for (const auto &[at, offset] : boxes->parts) {
            SmallVector<Value> place = boxCoordinates(d, corner, {at[0], at[1] + group * ofGroup + from});
            Value source = offsetBy(b, memoryOf(from, group),
                                    d.constant(offset * slotTile.getElementTypeBitWidth() / 8));
            if (store.getAdds())
              NVVM::CpAsyncBulkTensorReduceOp::create(b, map, source, NVVM::TMAReduxKind::ADD,
                                                      NVVM::TMAStoreMode::TILE, place,
                                                      /*l2CacheHint=*/Value());
            else
              NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, map, source, place,
                                                                 /*l2CacheHint=*/Value(),
                                                                 NVVM::TMAStoreMode::TILE,
                                                                 /*predicate=*/Value());
          }
      NVVM::CpAsyncBulkCommitGroupOp::create(b);
    });
  }
  return success();
}

static void awaitStores(AwaitStoresOp, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  d.inBranch(d.threads().isFirst(), [&] { NVVM::CpAsyncBulkWaitGroupOp::create(b, 0U, UnitAttr()); });
}

void addStoreBoxes(Handlers &handlers) {
  handlers.add(storeBox);
  handlers.add(awaitStores);
}

}   // namespace tile::gpu
