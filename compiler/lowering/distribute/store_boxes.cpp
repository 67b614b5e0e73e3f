// SPDX-License-Identifier: MIT
// Tiles that the copy engine stores, some columns at a time:
//
//    accumulator 128 x 256, slots of 128 x 64        wait until slot 0 has been read, all meet
//                                                    registers of columns 0 .. 63 to slot 0, fence, all meet
//                                                    one thread: store slot 0
//                                                    the same for columns 64 .. 127 and slot 1, and so on
//
// One thread gives all stores of a role: it alone can wait for them.
#include "compiler/lowering/distribute/barrier_channels.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/write_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::LinearLayout;
using layout::TileLayout;

// The first columns of a tile, a power of two, as if they were all; nothing where threads differ in more than
// these.
static std::optional<TileLayout> firstColumns(const TileLayout &tile, std::int64_t columns) {
  const LinearLayout &all = tile.linear();
  const unsigned rowBits = all.outBits(layout::axis(0)),
                 columnBits = llvm::Log2_64(static_cast<uint64_t>(columns));
  std::vector<std::uint64_t> images;
  auto take = [&](Dim dim, unsigned &count) {
    for (unsigned bit = 0; bit < all.inBits(dim); ++bit) {
      std::uint64_t row = all.basis(dim, bit, layout::axis(0)), column = all.basis(dim, bit, layout::axis(1));
      if (column >= static_cast<std::uint64_t>(columns)) {
        if (dim != Dim::Register || row != 0 || !llvm::isPowerOf2_64(column))
          return false;
        continue;
      }
      images.push_back(row | column << rowBits);
      ++count;
    }
    return true;
  };
  unsigned registers = 0, lanes = 0, warps = 0;
  if (!take(Dim::Register, registers) || !take(Dim::Lane, lanes) || !take(Dim::Warp, warps))
    return std::nullopt;
  LinearLayout part({{Dim::Register, registers}, {Dim::Lane, lanes}, {Dim::Warp, warps}, {Dim::Block, 0}},
                    {{layout::axis(0), rowBits}, {layout::axis(1), columnBits}}, std::move(images));
  return TileLayout(std::move(part), {tile.repeats()[0], 1});
}

static LogicalResult storeBox(StoreBoxOp store, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  ChannelType channel = store.getChannel().getType();
  RankedTensorType slotTile = channel.getTile(0);
  const TileLayout layout = layoutOf(store.getValue());
  const std::int64_t width = slotTile.getDimSize(1), columns = ir::getShape(store.getValue().getType())[1];
  std::optional<TileLayout> part = firstColumns(layout, width);
  std::optional<layout::TensorBoxes> boxes = boxesOf(slotTile);
  if (!part || !boxes)
    return store.emitError("the layout of this tile does not let its threads store some columns at a time");
  Registers values(d.registers(store.getValue()));
  Value map = d.registers(store.getMap()).front();
  SmallVector<Value> corner;
  for (Value coordinate : store.getCoords())
    corner.push_back(d.registers(coordinate).front());
  for (std::int64_t from = 0; from < columns; from += width) {
    const std::int64_t slot = from / width % channel.getSlots();
    d.inBranch(d.threads().isFirst(), [&] {   // the store that had this slot has read it
      NVVM::CpAsyncBulkWaitGroupOp::create(b, static_cast<uint32_t>(channel.getSlots() - 1), b.getUnitAttr());
    });
    d.barrier();
    Registers own;
    for (std::int64_t reg = 0; reg < part->places(); ++reg) {
      layout::Coordinates at = part->coordinates({reg, 0, 0, 0});
      at[1] += from;
      own.push_back(values[static_cast<size_t>(layout.place(at).reg)]);
    }
    Value memory = d.memory().channel(b, store.getChannel(), slot * channel.getSlotBytes());
    writeTile(d, *part, slotTile, memory, own);
    showToUnits(b);
    d.barrier();
    d.inBranch(d.threads().isFirst(), [&] {
      for (const auto &[at, offset] : boxes->parts) {
        SmallVector<Value> place = boxCoordinates(d, corner, {at[0], at[1] + from});
        Value source = offsetBy(b, memory, d.constant(offset * slotTile.getElementTypeBitWidth() / 8));
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, map, source, place, /*l2CacheHint=*/Value(),
                                                           NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
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
