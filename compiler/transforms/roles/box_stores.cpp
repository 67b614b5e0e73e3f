// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/box_stores.h"

#include "compiler/analysis/matrix_products.h"
#include "compiler/transforms/roles/role_rewrites.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile {

static int64_t bytesOf(gpu::ChannelType channel) { return channel.getBytes() + channel.getBarrierBytes(); }

// Whether nothing that the program does afterwards could meet what is stored: the engine stores some time
// later.
bool BoxStores::isLastAccess(ir::DescriptorStoreOp store) {
  return !kernel_.getBody()
              .walk([&](Operation *op) {
                bool isAccess = !maps_.isMade(op) && !isMemoryEffectFree(op) && !isa<ir::PrintOp>(op) &&
                                !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
                return isAccess && mayFollow(op, store) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

void BoxStores::find(ArrayRef<CopiedGroup> groups) {
  const unsigned warps = ir::numWarps(kernel_);
  auto isBoxed = [&](ir::DescriptorLoadOp load) {
    return llvm::any_of(groups, [&](const CopiedGroup &s) { return llvm::is_contained(s.loads, load); });
  };
  int64_t bytes = consumers() * (bytesForExchanges(kernel_, isBoxed) + found_.bytesOfPuts());
  for (const CopiedGroup &group : groups)
    bytes += bytesOf(group.type());
  auto isShared = [&](ir::DotOp dot) {
    return llvm::any_of(groups, [&](const CopiedGroup &s) { return llvm::is_contained(s.dots, dot); });
  };
  SmallVector<ir::DescriptorStoreOp> stores;
  kernel_.walk([&](ir::DescriptorStoreOp store) { stores.push_back(store); });
  for (ir::DescriptorStoreOp store : stores) {
    auto tensor = store.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
    auto tile = cast<RankedTensorType>(store.getValue().getType());
    if (!tensor || !(isKnownAtLaunch(tensor) || isKnownOnDevice(tensor, facts_)) || tile.getRank() != 2 ||
        !isOfProduct(store.getValue(), isShared) ||
        warpgroupsOver(tile.getShape(), warps / 4).value_or(WarpGrid{0, 2}).n != 1 ||
        !gpu::matrixElementOf(tile.getElementType()) || !isLastAccess(store))
      continue;
    const unsigned bits = tile.getElementTypeBitWidth();
    const unsigned swizzle = layout::sharedSwizzle(tile.getShape().vec(), bits, 1);
    if (swizzle == 0)
      continue;
    const int64_t width = swizzle * 8 / bits, parts = tile.getDimSize(1) / width;
    RankedTensorType part =
        inSharedRows(RankedTensorType::get({tile.getDimSize(0), width}, tile.getElementType()));
    // The ring begins anew with each tile, so its slots divide the parts; the more there are, the less is
    // waited for.
    const int64_t partBytes = part.getNumElements() * bits / 8;
    const int64_t all = consumers() * partBytes, most = (target_.sharedBytesPerBlock() - bytes) / all;
    int64_t slots = parts;
    while (slots > 1 && (slots > most || parts % slots != 0))
      --slots;
    if (!gpu::boxesOf(part) || bytes + slots * all > target_.sharedBytesPerBlock())
      continue;
    b_.setLoc(store.getLoc());
    TileStore found{
        store, maps_.mapOf(tensor, part, /*isWritten=*/true), {}, storeIsAllowed(b_, facts_, store)};
    for (unsigned consumer = 0; consumer < consumers(); ++consumer) {
      found.channels.push_back(maps_.made(gpu::ChannelOp::create(
          b_, gpu::ChannelType::get(b_.getContext(), slots, {part}, /*barriers=*/false))));
      bytes += bytesOf(found.channels.back().getChannel().getType());
    }
    stores_.push_back(found);
  }
}

void BoxStores::give(TileStore &found, unsigned consumer, const IRMapping &copies) {
  auto store = cast<ir::DescriptorStoreOp>(copies.lookup(found.store.getOperation()));
  b_.setInsertionPoint(store);
  b_.setLoc(store.getLoc());
  OpBuilder::InsertionGuard guard(b_);
  Value map = found.map;
  Later later;
  if (auto tensor = store.getDesc().getDefiningOp<ir::MakeDescriptorOp>(); !isKnownAtLaunch(tensor)) {
    // The same for all iterations: by the first one that this program takes.
    auto loop = dyn_cast<scf::ForOp>(found.store->getParentOp());
    const uint32_t at = maps_.placeOfMap(map);
    Value now;
    if (loop && isFixedIn(loop, found.store.getDesc())) {
      const unsigned first = loop == turns_ ? 2 : 1;
      now = isAmongFirst(b_, store->getParentOfType<scf::ForOp>(), first);
      if (tensor->getBlock() == store->getBlock() && gatherAtStart(tensor)) {
        later = mapOfFirst(tensor, map, at, first);
        now = arith::AndIOp::create(b_, now, later.isIt);
      }
    }
    maps_.waitToMake<gpu::AwaitStoresOp>(now);   // by the map that was there before
    map = maps_.ownMapOf(tensor, map, at, IRMapping(), now);
  }
  if (found.allowed) {
    // Else, which is seldom: from where the elements lie, without memory for an exchange, and without
    // anything in registers that the products before could have.
    Value mostly = LLVM::ExpectOp::create(b_, copies.lookupOrDefault(found.allowed),
                                          arith::ConstantOp::create(b_, b_.getBoolAttr(true)));
    auto branch = scf::IfOp::create(b_, mostly, /*withElseRegion=*/true);
    store->setAttr(ir::StoredInPlaceName, b_.getUnitAttr());
    store->moveBefore(branch.elseBlock()->getTerminator());
    b_.setInsertionPointToStart(branch.thenBlock());
  }
  gpu::StoreBoxOp::create(b_, store.getValue(), map, store.getCoords(), found.channels[consumer]);
  if (!found.allowed)
    store.erase();
  if (later.isIt)
    carryOutwards(b_, later.isIt, later.next);
}

// The map of the first tile of all is made while the blocks of that tile are being copied: nothing is
// stored yet that it would have to wait for.
BoxStores::Later BoxStores::mapOfFirst(ir::MakeDescriptorOp tensor, Value like, uint32_t at, unsigned first) {
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointAfter(tensor);
  Value isLater = arith::ConstantOp::create(b_, b_.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b_, b_.getBoolAttr(true));
  Value now = isAmongFirst(b_, tensor->getParentOfType<scf::ForOp>(), first);
  now = arith::AndIOp::create(b_, now, arith::XOrIOp::create(b_, isLater, yes));
  maps_.ownMapOf(tensor, like, at, IRMapping(), now);
  return {isLater, yes};
}

void BoxStores::give(unsigned consumer, Block &program, const IRMapping &copies) {
  for (TileStore &store : stores_)
    give(store, consumer, copies);
  if (stores_.empty())
    return;
  b_.setInsertionPointToEnd(&program);
  gpu::AwaitStoresOp::create(b_);
}

}   // namespace tile
