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

namespace {

// A store, or an update of each element, of a tile through a descriptor.
struct DescriptorWrite {
  Value desc, value;
  OperandRange coords;

  static std::optional<DescriptorWrite> of(Operation *op) {
    if (auto store = dyn_cast<ir::DescriptorStoreOp>(op))
      return DescriptorWrite{store.getDesc(), store.getValue(), store.getCoords()};
    if (auto reduce = dyn_cast<ir::DescriptorReduceOp>(op))
      return DescriptorWrite{reduce.getDesc(), reduce.getValue(), reduce.getCoords()};
    return std::nullopt;
  }
};

// The outermost loop around an op whose iterations the program has promised to be independent. Null for none.
scf::ForOp promisedLoopAround(Operation *op) {
  scf::ForOp outermost;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
    if (ir::promisesIndependentIterations(loop))
      outermost = loop;
  return outermost;
}

}   // namespace

// The engine stores some time later: whether the program does nothing before it has waited that could meet
// what is stored. It waits behind the loop, or at its end where that is null.
bool BoxStores::isUnmetIn(scf::ForOp loop, Operation *store) {
  return !kernel_.getBody()
              .walk([&](Operation *op) {
                bool isAccess = !maps_.isMade(op) && !isMemoryEffectFree(op) && !ir::isPromise(op) &&
                                !isa<ir::PrintOp>(op) && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
                bool isBefore = !loop || loop->isAncestor(op);
                const bool meets =
                    isAccess && isBefore && mayFollow(op, store) && !apart_.keepApart(op, store);
                return meets ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

void BoxStores::find(ArrayRef<CopiedGroup> groups) {
  const unsigned warps = ir::numWarps(kernel_);
  auto isBoxed = [&](ir::DescriptorLoadOp load) {
    return llvm::any_of(groups, [&](const CopiedGroup &s) { return llvm::is_contained(s.loads, load); });
  };
  auto isShared = [&](ir::DotOp dot) {
    return !found_.isOfRegisters() &&
           llvm::any_of(groups, [&](const CopiedGroup &s) { return llvm::is_contained(s.dots, dot); });
  };
  struct Candidate {
    Operation *store;
    scf::ForOp loop;   // behind which it is awaited; null for the end of the role
    int64_t width, parts, abreast;
  };
  // What the engine can store; nothing for what threads do.
  auto candidateOf = [&](Operation *store, const DescriptorWrite &write) -> std::optional<Candidate> {
    auto update = dyn_cast<ir::DescriptorReduceOp>(store);
    auto tensor = write.desc.getDefiningOp<ir::MakeDescriptorOp>();
    auto tile = cast<RankedTensorType>(write.value.getType());
    if (!tensor || !(!DeviceMaps::isOwn(tensor) || (!update && isKnownOnDevice(tensor, facts_))) ||
        tile.getRank() != 2 || !isOfProduct(write.value, isShared) ||
        !gpu::matrixElementOf(tile.getElementType()) || (update && update.getUpdate() != ir::Update::fadd))
      return std::nullopt;
    Candidate found{store, {}, 0, 0, 0};
    if (!isUnmetIn(nullptr, store)) {
      found.loop = promisedLoopAround(store);
      if (!found.loop || !isUnmetIn(found.loop, store))
        return std::nullopt;
    }
    // Groups of warps beside each other add their own columns at the same time.
    const unsigned bits = tile.getElementTypeBitWidth();
    const unsigned swizzle = layout::sharedSwizzle(tile.getShape().vec(), bits, 1);
    std::optional<WarpGrid> grid = warpgroupsOver(tile.getShape(), warps / 4);
    if (swizzle == 0 || !grid || (!update && grid->n > 1))
      return std::nullopt;
    found.width = swizzle * 8 / bits;
    found.parts = tile.getDimSize(1) / found.width;
    found.abreast = grid->n;
    return found.parts % found.abreast == 0 ? std::optional(found) : std::nullopt;
  };
  SmallVector<Candidate> candidates;
  int64_t exchanged = bytesForExchanges(kernel_, isBoxed);
  kernel_.walk([&](Operation *store) {
    if (std::optional<DescriptorWrite> write = DescriptorWrite::of(store)) {
      if (std::optional<Candidate> found = candidateOf(store, *write))
        candidates.push_back(*found);
      else
        exchanged = std::max(exchanged, bytesForExchange(write->value));
    }
  });
  int64_t bytes = consumers() * (exchanged + found_.bytesOfPuts());
  for (const CopiedGroup &group : groups)
    bytes += bytesOf(group.type());
  for (const auto &[store, loop, width, parts, abreast] : candidates) {
    const DescriptorWrite write = *DescriptorWrite::of(store);
    auto tensor = write.desc.getDefiningOp<ir::MakeDescriptorOp>();
    auto tile = cast<RankedTensorType>(write.value.getType());
    const unsigned bits = tile.getElementTypeBitWidth();
    RankedTensorType part =
        inSharedRows(RankedTensorType::get({tile.getDimSize(0), width}, tile.getElementType()));
    // The ring begins anew with each tile, so its slots divide the parts; the more there are, the less is
    // waited for.
    const int64_t partBytes = part.getNumElements() * bits / 8;
    const int64_t all = consumers() * partBytes, most = (target_.sharedBytesPerBlock() - bytes) / all;
    int64_t slots = parts;
    while (slots > abreast && (slots > most || parts % slots != 0))
      slots -= abreast;
    if (!gpu::boxesOf(part) || bytes + slots * all > target_.sharedBytesPerBlock())
      continue;
    b_.setLoc(store->getLoc());
    Value allowed = storeIsAllowed(b_, facts_, store, tensor, write.coords);
    if (allowed && isa<ir::DescriptorReduceOp>(store))
      continue;
    TileStore found{store, maps_.mapOf(tensor, part, /*isWritten=*/true), {}, allowed, loop != nullptr};
    for (unsigned consumer = 0; consumer < consumers(); ++consumer) {
      found.channels.push_back(maps_.made(gpu::ChannelOp::create(
          b_, gpu::ChannelType::get(b_.getContext(), slots, {part}, /*barriers=*/false))));
      bytes += bytesOf(found.channels.back().getChannel().getType());
    }
    stores_.push_back(found);
  }
}

void BoxStores::give(TileStore &found, unsigned consumer, const IRMapping &copies) {
  Operation *store = copies.lookup(found.store);
  const DescriptorWrite write = *DescriptorWrite::of(store);
  b_.setInsertionPoint(store);
  b_.setLoc(store->getLoc());
  OpBuilder::InsertionGuard guard(b_);
  Value map = found.map;
  Later later;
  auto tensor = write.desc.getDefiningOp<ir::MakeDescriptorOp>();
  if (DeviceMaps::isOwn(tensor)) {
    // The same for all iterations: by the first one that this program takes.
    auto loop = dyn_cast<scf::ForOp>(found.store->getParentOp());
    const uint32_t at = maps_.placeOfMap(map);
    Value now;
    if (loop && isFixedIn(loop, DescriptorWrite::of(found.store)->desc)) {
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
  const SmallVector<Value> coords = maps_.coordinatesOf(tensor, write.coords, IRMapping());
  gpu::StoreBoxOp::create(b_, write.value, map, coords, found.channels[consumer],
                          /*adds=*/isa<ir::DescriptorReduceOp>(store));
  if (!found.allowed)
    store->erase();
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
  if (stores_.empty())
    return;
  llvm::SmallPtrSet<Operation *, 1> awaited;
  for (TileStore &store : stores_) {
    if (!store.isAwaitedBehindLoop)
      continue;
    scf::ForOp loop = promisedLoopAround(copies.lookup(store.store));   // which carries more than it did
    if (!awaited.insert(loop).second)
      continue;
    b_.setInsertionPointAfter(loop);
    gpu::AwaitStoresOp::create(b_);
    ir::BarrierOp::create(b_);   // one thread has waited
  }
  for (TileStore &store : stores_)
    give(store, consumer, copies);
  b_.setInsertionPointToEnd(&program);
  gpu::AwaitStoresOp::create(b_);
}

}   // namespace tile
