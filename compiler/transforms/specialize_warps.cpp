// SPDX-License-Identifier: MIT
// `tile-gpu-specialize-warps`: a kernel becomes the program of one thread that has tiles copied, and the
// program of the warps that multiply them.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }  store C[m, n], sum
//
//    alone:  for i { acquire; copy_box A[m, k]; copy_box B[k, n]; commit }
//    others: for i { wait; x = view 0; y = view 1; sum = dot x, y, sum; release }  store C[m, n], sum
//
// Loads that products need together fill one slot of a channel together: a group. What the copies depend
// on, their coordinates and the bounds and conditions around them, is computed by both programs. Each side's
// cursor runs through all loops around its group, so that the ring goes on where an outer loop comes back.
#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/role_partition.h"
#include "compiler/target/role_registers.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/ping_pong.h"
#include "compiler/transforms/products_in_flight.h"
#include "compiler/transforms/role_rewrites.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <array>
#include <optional>

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUSPECIALIZEWARPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

// A group, and what feeds it.
struct CopiedGroup : LoadGroup {
  SmallVector<bool, 2> isShared;   // by load: all CTAs of a cluster want the same
  SmallVector<Value, 2> maps;      // of the loads; the program makes some of them
  gpu::ChannelOp channel;
};

// A tile that is stored by the copy engine.
struct TileStore {
  ir::DescriptorStoreOp store;
  gpu::TensorMapOp map;                      // or what the program's own is like
  SmallVector<gpu::ChannelOp, 1> channels;   // by consumer
  Value allowed;                             // null where it always is
};

int64_t bytesOf(gpu::ChannelOp channel) {
  gpu::ChannelType type = channel.getChannel().getType();
  return type.getBytes() + type.getBarrierBytes();
}

class Specialization {
 public:
  // `turns`: the loop whose iterations two consumers take in turn; null for one consumer.
  Specialization(func::FuncOp kernel, const Target &target, gpu::PlanAttr plan, const RolePartition &found,
                 scf::ForOp turns)
      : kernel_(kernel), target_(target), plan_(plan), found_(found), turns_(turns), facts_(kernel),
        b_(kernel.getLoc(), kernel.getContext()) {
    for (const LoadGroup &group : found.loadGroups())
      groups_.push_back({group, {}, {}, {}});
  }

  void run() {
    Block &body = kernel_.getBody().front();
    Operation *end = body.getTerminator();
    b_.setInsertionPoint(end);
    for (CopiedGroup &group : groups_)
      describe(group);
    if (turns_)
      turn_ =
          made(gpu::ChannelOp::create(b_, gpu::ChannelType::get(b_.getContext(), 1, {}, /*barriers=*/true)));
    findStores(ir::numWarps(kernel_));
    const unsigned consumers = this->consumers();
    SmallVector<bool> alone(1 + consumers);
    alone.front() = true;
    OperationState state(kernel_.getLoc(), gpu::RolesOp::getOperationName());
    state.addAttribute("warps", b_.getDenseI32ArrayAttr(plan_.getWarps()));
    state.addAttribute("registers", b_.getDenseI32ArrayAttr(plan_.getRegisters()));
    state.addAttribute("alone", b_.getDenseBoolArrayAttr(alone));
    if (turns_)
      state.addAttribute("in_turn", b_.getUnitAttr());
    for (unsigned i = 0; i <= consumers; ++i)
      state.addRegion()->emplaceBlock();
    auto roles = cast<gpu::RolesOp>(b_.create(state));

    b_.setInsertionPointToEnd(&roles.getPrograms()[0].front());
    SmallVector<Value> first;
    for (CopiedGroup &group : groups_)
      first.push_back(firstCursor(group.channel));
    IRMapping map;
    produce(body, map, first);

    SmallVector<Operation *> multiplied;
    for (Operation &op : body.without_terminator())
      if (&op != roles && !found_.prefix().contains(&op) && !made_.contains(&op))
        multiplied.push_back(&op);
    for (unsigned consumer = 0; consumer < consumers; ++consumer)
      multiply(consumer, roles.getPrograms()[1 + consumer].front(), multiplied);
    for (Operation *op : llvm::reverse(multiplied))
      op->erase();
    // Descriptors that the launcher alone encodes, and their parts.
    for (Operation *op : llvm::reverse(found_.prefix()))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  // Says at the products what becomes of them.
  void remark() {
    for (CopiedGroup &group : groups_) {
      int64_t bytes = 0;
      for (ir::DescriptorLoadOp load : group.loads) {
        auto tile = cast<RankedTensorType>(load.getType());
        bytes += tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
      }
      const std::string ring = std::to_string(group.slots) + (group.slots == 1 ? " slot of " : " slots of ") +
                               std::to_string(bytes / 1024) + " KiB";
      if (group.dots.front()->getBlock() == group.block)
        group.dots.front().emitRemark()
            << "multiplied from shared memory by " << ir::numWarps(kernel_)
            << (turns_ ? " and " + std::to_string(ir::numWarps(kernel_)) + " warps in ping-pong"
                       : std::string(" warps"))
            << "; another role copies the blocks ahead, into " << ring;
      else
        group.loads.front().emitRemark("another role copies this block ahead, into ") << ring;
    }
  }

 private:
  // ------------------------------------------------------------------------------ what the launch describes

  template <class Op> Op made(Op op) {
    made_.insert(op);
    return op;
  }

  gpu::TensorMapOp mapOf(ir::MakeDescriptorOp tensor, RankedTensorType boxed, bool isWritten,
                         unsigned sharers = 1) {
    SmallVector<Attribute> extents, strides;
    uint64_t base = 0;
    if (isKnownAtLaunch(tensor)) {
      extents = llvm::map_to_vector(tensor.getShape(), knownAtLaunch);
      strides = llvm::map_to_vector(tensor.getStrides().drop_back(), knownAtLaunch);
      base = static_cast<uint64_t>(cast<gpu::ArgumentAttr>(knownAtLaunch(tensor.getBase())).getNumber());
    } else {   // without elements: it stands for whatever address
      extents.assign(tensor.getShape().size(), b_.getI64IntegerAttr(0));
      strides.assign(tensor.getShape().size() - 1, b_.getI64IntegerAttr(0));
      while (!isa<ir::PtrType>(kernel_.getArgumentTypes()[base]))
        ++base;
    }
    std::optional<layout::TensorBoxes> boxes = gpu::boxesOf(boxed, sharers);
    SmallVector<int64_t> box(tensor.getShape().size() - 2, 1);
    llvm::append_range(box, boxes->box);
    return made(gpu::TensorMapOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext()), base,
                                         b_.getArrayAttr(extents), b_.getArrayAttr(strides), box,
                                         boxed.getElementType(), boxes->swizzle,
                                         tensor.getPadding() == ir::Padding::nan, isWritten));
  }

  // Where the workspace has a place for a map that is `like` this one.
  uint32_t placeOfMap(Value like) {
    if (!workspace_) {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointAfterValue(like);
      workspace_ = made(gpu::WorkspaceOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext(), 1), 0U));
    }
    constexpr uint32_t bytes = 128;
    const uint32_t at = workspace_.getBytes();
    workspace_.setBytes(at + bytes);
    return at;
  }

  // The program's own map of a tensor. `map`: of values that the program has for the kernel's. `now`: when it
  // is made anew, null for always.
  Value ownMapOf(ir::MakeDescriptorOp tensor, Value like, uint32_t at, const IRMapping &map, Value now) {
    auto parts = [&](ValueRange values) {
      return llvm::map_to_vector(values, [&](Value v) { return map.lookupOrDefault(v); });
    };
    return gpu::DeviceMapOp::create(b_, like.getType(), map.lookupOrDefault(tensor.getBase()),
                                    parts(tensor.getShape()), parts(tensor.getStrides().drop_back()), like,
                                    workspace_, at, now);
  }

  // Puts a wait before a map is made anew.
  template <class Wait, class... Parts> void waitToMake(Value now, Parts... parts) {
    OpBuilder::InsertionGuard guard(b_);
    if (now)
      b_.setInsertionPointToStart(scf::IfOp::create(b_, now, /*withElseRegion=*/false).thenBlock());
    Wait::create(b_, parts...);
  }

  void describe(CopiedGroup &group) {
    SmallVector<Type> tiles;
    for (ir::DescriptorLoadOp load : group.loads) {
      b_.setLoc(load.getLoc());
      RankedTensorType tile = inSharedRows(cast<RankedTensorType>(load.getType()));
      tiles.push_back(tile);
      const unsigned ctas = ir::numCtas(kernel_);
      group.isShared.push_back(isForAllCtas(load) && gpu::boxesOf(tile, ctas));
      group.maps.push_back(mapOf(load.getDesc().getDefiningOp<ir::MakeDescriptorOp>(), tile,
                                 /*isWritten=*/false, group.isShared.back() ? ctas : 1));
    }
    group.channel = made(gpu::ChannelOp::create(
        b_, gpu::ChannelType::get(b_.getContext(), group.slots, tiles, /*barriers=*/true)));
  }

  // ------------------------------------------------------------------------------ stores

  // Whether nothing that the program does afterwards could meet what is stored: the engine stores some time
  // later.
  bool isLastAccess(ir::DescriptorStoreOp store) {
    return !kernel_.getBody()
                .walk([&](Operation *op) {
                  bool isAccess = !made_.contains(op) && !isMemoryEffectFree(op) &&
                                  !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
                  return isAccess && mayFollow(op, store) ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  void findStores(unsigned warps) {
    auto isBoxed = [&](ir::DescriptorLoadOp load) {
      return llvm::any_of(groups_, [&](CopiedGroup &s) { return llvm::is_contained(s.loads, load); });
    };
    int64_t bytes = consumers() * bytesForExchanges(kernel_, isBoxed);
    for (CopiedGroup &group : groups_)
      bytes += bytesOf(group.channel);
    auto isShared = [&](ir::DotOp dot) {
      return llvm::any_of(groups_, [&](CopiedGroup &s) { return llvm::is_contained(s.dots, dot); });
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
      TileStore found{store, mapOf(tensor, part, /*isWritten=*/true), {}, storeIsAllowed(b_, facts_, store)};
      for (unsigned consumer = 0; consumer < consumers(); ++consumer) {
        found.channels.push_back(made(gpu::ChannelOp::create(
            b_, gpu::ChannelType::get(b_.getContext(), slots, {part}, /*barriers=*/false))));
        bytes += bytesOf(found.channels.back());
      }
      stores_.push_back(found);
    }
  }

  void give(TileStore &found, unsigned consumer, const IRMapping &copies) {
    auto store = cast<ir::DescriptorStoreOp>(copies.lookup(found.store.getOperation()));
    b_.setInsertionPoint(store);
    b_.setLoc(store.getLoc());
    OpBuilder::InsertionGuard guard(b_);
    Value map = found.map;
    Later later;
    if (auto tensor = store.getDesc().getDefiningOp<ir::MakeDescriptorOp>(); !isKnownAtLaunch(tensor)) {
      // The same for all iterations: by the first one that this program takes.
      auto loop = dyn_cast<scf::ForOp>(found.store->getParentOp());
      const uint32_t at = placeOfMap(map);
      Value now;
      if (loop && isFixedIn(loop, found.store.getDesc())) {
        const unsigned first = loop == turns_ ? 2 : 1;
        now = isAmongFirst(b_, store->getParentOfType<scf::ForOp>(), first);
        if (tensor->getBlock() == store->getBlock() && gatherAtStart(tensor)) {
          later = mapOfFirst(tensor, map, at, first);
          now = arith::AndIOp::create(b_, now, later.isIt);
        }
      }
      waitToMake<gpu::AwaitStoresOp>(now);   // by the map that was there before
      map = ownMapOf(tensor, map, at, IRMapping(), now);
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

  // Whether a tile is not the first one of all, and what follows for the next.
  struct Later {
    Value isIt, next;
  };
  // The map of the first tile of all is made while the blocks of that tile are being copied: nothing is
  // stored yet that it would have to wait for.
  Later mapOfFirst(ir::MakeDescriptorOp tensor, Value like, uint32_t at, unsigned first) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointAfter(tensor);
    Value isLater = arith::ConstantOp::create(b_, b_.getBoolAttr(false));
    Value yes = arith::ConstantOp::create(b_, b_.getBoolAttr(true));
    Value now = isAmongFirst(b_, tensor->getParentOfType<scf::ForOp>(), first);
    now = arith::AndIOp::create(b_, now, arith::XOrIOp::create(b_, isLater, yes));
    ownMapOf(tensor, like, at, IRMapping(), now);
    return {isLater, yes};
  }

  // ------------------------------------------------------------------------------ the programs

  unsigned consumers() const { return turns_ ? 2 : 1; }

  // The program of those who multiply, of copies of what the kernel did.
  void multiply(unsigned consumer, Block &program, ArrayRef<Operation *> given) {
    IRMapping copies;
    b_.setInsertionPointToEnd(&program);
    for (Operation *op : given)
      b_.clone(*op, copies);
    if (turns_)
      takeTurns(b_, cast<scf::ForOp>(copies.lookup(turns_.getOperation())), /*isFirst=*/consumer == 0);
    for (CopiedGroup &group : groups_)
      consume(copyOf(group, copies));
    if (turns_) {
      Operation *product = copies.lookup(groups_.front().dots.front().getOperation());
      const Turn turn = turnOf(product, cast<gpu::RolesOp>(program.getParentOp()), turns_);
      skipOthers(turn, copies);
      multiplyInTurn(b_, turn, turn_, /*isFirst=*/consumer == 0);
    }
    program.walk<WalkOrder::PostOrder, ReverseIterator>([](ir::MakeDescriptorOp tensor) {
      if (tensor.use_empty())   // the producer has made its map
        tensor.erase();
    });
    for (TileStore &store : stores_)
      give(store, consumer, copies);
    if (!stores_.empty()) {
      b_.setInsertionPointToEnd(&program);
      gpu::AwaitStoresOp::create(b_);
    }
  }

  static CopiedGroup copyOf(const CopiedGroup &group, const IRMapping &copies) {
    CopiedGroup copy = group;
    auto copyOp = [&](auto &op) { op = cast<std::decay_t<decltype(op)>>(copies.lookup(op.getOperation())); };
    llvm::for_each(copy.dots, copyOp);
    llvm::for_each(copy.loads, copyOp);
    copy.block = copy.loads.front()->getBlock();
    return copy;
  }

  // The cursors go on through the iterations of the other consumer as the producer's do, but nothing is
  // copied.
  void skipOthers(const Turn &turn, const IRMapping &copies) {
    IRMapping map(copies);
    turn.mapLoops(turns_, map);
    Operation *yield = turn.branch().elseBlock()->getTerminator();
    b_.setInsertionPoint(yield);
    SmallVector<Value> cursors(yield->getOperands());
    isSkipping_ = true;
    produce(*turns_.getBody(), map, cursors);
    isSkipping_ = false;
    yield->setOperands(cursors);
  }

  Value firstCursor(gpu::ChannelOp channel) {
    return gpu::CursorOp::create(b_, channel.getChannel().getType().getCursor(), 0U);
  }

  // The producer's part of a block, from here on. `cursors`: of the load groups, which it takes on. Maps of
  // tensors that the program describes are made right before they are used: what they need was then loaded
  // together.
  void produce(Block &from, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    SmallVector<ir::MakeDescriptorOp, 2> described;
    auto describeAll = [&] {
      describe(described, map, cursors);
      described.clear();
    };
    for (Operation &op : from.without_terminator()) {
      b_.setLoc(op.getLoc());
      if (found_.prefix().contains(&op) || made_.contains(&op))
        continue;
      auto fills = [&](const CopiedGroup &group) { return &op == group.loads.back(); };
      if (found_.isAround(&op) || llvm::any_of(groups_, fills))
        describeAll();
      if (found_.isAround(&op)) {
        if (auto loop = dyn_cast<scf::ForOp>(op))
          produceLoop(loop, map, cursors);
        else
          produceBranch(cast<scf::IfOp>(op), map, cursors);
      } else if (llvm::any_of(op.getResults(), [&](Value v) { return found_.isNeeded(v); })) {
        b_.clone(op, map);
      } else if (auto tensor = dyn_cast<ir::MakeDescriptorOp>(op);
                 tensor && !isKnownAtLaunch(tensor) && !isSkipping_) {
        described.push_back(tensor);
      }
      for (auto [group, cursor] : llvm::zip(groups_, cursors))
        if (&op == group.loads.back())
          cursor = fill(group, map, cursor);
    }
  }

  // Makes the maps of tensors that the program determines. No copy by the maps before is under way then.
  void describe(ArrayRef<ir::MakeDescriptorOp> tensors, const IRMapping &map, ArrayRef<Value> cursors) {
    for (auto [group, cursor] : llvm::zip(groups_, cursors)) {
      // When they are made, once the copies have landed: [1] of those that stay the same in the loop around.
      std::array<std::optional<Value>, 2> made;
      for (auto [load, described] : llvm::zip(group.loads, group.maps)) {
        auto tensor = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
        if (!llvm::is_contained(tensors, tensor))
          continue;
        auto loop = dyn_cast<scf::ForOp>(tensor->getParentOp());
        const bool isFixed = loop && isFixedIn(loop, tensor);
        std::optional<Value> &now = made[isFixed];
        if (!now) {
          now = isFixed ? isAmongFirst(b_, cast<scf::ForOp>(b_.getInsertionBlock()->getParentOp()), 1)
                        : Value();
          waitToMake<gpu::AwaitCopiesOp>(*now, group.channel, cursor);
        }
        described = ownMapOf(tensor, described, placeOfMap(described), map, *now);
      }
    }
  }

  Value fill(CopiedGroup &group, IRMapping &map, Value cursor) {
    if (isSkipping_)
      return gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
    auto slot = gpu::AcquireOp::create(b_, gpu::SlotType::get(b_.getContext()), group.channel, cursor);
    for (auto [i, load] : llvm::enumerate(group.loads)) {
      SmallVector<Value> coords =
          llvm::map_to_vector(load.getCoords(), [&](Value v) { return map.lookupOrDefault(v); });
      gpu::CopyBoxOp::create(b_, group.maps[i], coords, slot, static_cast<uint32_t>(i), group.isShared[i]);
    }
    gpu::CommitOp::create(b_, slot);
    return gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
  }

  // The cursors of load groups within an op.
  SmallVector<unsigned> groupsIn(Operation *op) {
    SmallVector<unsigned> inside;
    for (auto [i, group] : llvm::enumerate(groups_))
      if (op->isAncestor(group.block->getParentOp()))
        inside.push_back(static_cast<unsigned>(i));
    return inside;
  }

  void produceLoop(scf::ForOp loop, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    SmallVector<unsigned> carried, inside = groupsIn(loop);
    SmallVector<Value> inits;
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      if (found_.isNeeded(loop.getRegionIterArg(i)) || found_.isNeeded(loop.getResult(i))) {
        carried.push_back(i);
        inits.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
      }
    for (unsigned i : inside)
      inits.push_back(cursors[i]);
    auto made = scf::ForOp::create(
        b_, map.lookupOrDefault(loop.getLowerBound()), map.lookupOrDefault(loop.getUpperBound()),
        map.lookupOrDefault(loop.getStep()), inits, nullptr, loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(b_);
      if (!made.getBody()->empty())
        made.getBody()->back().erase();   // made where nothing is carried
      b_.setInsertionPointToEnd(made.getBody());
      map.map(loop.getInductionVar(), made.getInductionVar());
      for (auto [at, i] : llvm::enumerate(carried))
        map.map(loop.getRegionIterArg(i), made.getRegionIterArg(static_cast<unsigned>(at)));
      SmallVector<Value> own(cursors.begin(), cursors.end());
      for (auto [at, i] : llvm::enumerate(inside))
        own[i] = made.getRegionIterArg(static_cast<unsigned>(carried.size() + at));
      produce(*loop.getBody(), map, own);
      SmallVector<Value> yields;
      for (unsigned i : carried)
        yields.push_back(map.lookupOrDefault(loop.getYieldedValues()[i]));
      for (unsigned i : inside)
        yields.push_back(own[i]);
      scf::YieldOp::create(b_, yields);
    }
    for (auto [at, i] : llvm::enumerate(carried))
      map.map(loop.getResult(i), made.getResult(static_cast<unsigned>(at)));
    for (auto [at, i] : llvm::enumerate(inside))
      cursors[i] = made.getResult(static_cast<unsigned>(carried.size() + at));
  }

  void produceBranch(scf::IfOp branch, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    SmallVector<unsigned> given, inside = groupsIn(branch);
    SmallVector<Type> types;
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      if (found_.isNeeded(result)) {
        given.push_back(static_cast<unsigned>(i));
        types.push_back(result.getType());
      }
    for (unsigned i : inside)
      types.push_back(cursors[i].getType());
    auto made = scf::IfOp::create(b_, types, map.lookupOrDefault(branch.getCondition()), true);
    for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
      OpBuilder::InsertionGuard guard(b_);
      if (!to.front().empty())
        to.front().back().erase();
      b_.setInsertionPointToEnd(&to.front());
      SmallVector<Value> own(cursors.begin(), cursors.end());
      SmallVector<Value> yields;
      if (!from.empty()) {
        produce(from.front(), map, own);
        for (unsigned i : given)
          yields.push_back(map.lookupOrDefault(from.front().getTerminator()->getOperand(i)));
      }
      for (unsigned i : inside)
        yields.push_back(own[i]);
      scf::YieldOp::create(b_, yields);
    }
    for (auto [at, i] : llvm::enumerate(given))
      map.map(branch.getResult(i), made.getResult(static_cast<unsigned>(at)));
    for (auto [at, i] : llvm::enumerate(inside))
      cursors[i] = made.getResult(static_cast<unsigned>(given.size() + at));
  }

  // The consumers' part of a group, in place of its loads.
  void consume(CopiedGroup group) {
    b_.setInsertionPoint(group.loads.front());
    b_.setLoc(group.loads.front().getLoc());
    Value cursor = firstCursor(group.channel);
    auto lease = gpu::WaitOp::create(b_, gpu::LeaseType::get(b_.getContext()), group.channel, cursor);
    auto type = group.channel.getChannel().getType();
    for (auto [i, load] : llvm::enumerate(group.loads)) {
      Value view =
          gpu::ViewOp::create(b_, type.getTile(static_cast<unsigned>(i)), lease, static_cast<uint32_t>(i));
      for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
        if (auto permute = dyn_cast<ir::PermuteOp>(user)) {
          auto type = cast<RankedTensorType>(permute.getType());
          layout::Shape shape = type.getShape().vec();
          auto rows = layout::sharedRows(shape, type.getElementTypeBitWidth(), /*fast=*/0);
          permute.getResult().setType(gpu::withLayout(type, gpu::LayoutAttr::get(b_.getContext(), rows)));
        }
      load.getResult().replaceAllUsesWith(view);
    }
    for (ir::DescriptorLoadOp load : group.loads)   // behind: the first one is where the builder is
      load.erase();
    Operation *last = nullptr;   // that reads the slot, or holds who does
    for (ir::DotOp dot : group.dots)
      if (Operation *reads = group.block->findAncestorOpInBlock(*dot); !last || last->isBeforeInBlock(reads))
        last = reads;
    b_.setInsertionPointAfter(last);
    b_.setLoc(last->getLoc());
    if (scf::ForOp loop = loopInFlight(group)) {
      keepInFlight(b_, loop, group.dots.front(), lease);
      b_.setInsertionPoint(last->getBlock()->getTerminator());
    } else {
      gpu::ReleaseOp::create(b_, lease);
    }
    Value next = gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
    carryOutwards(b_, cursor, next);
  }

  // The loop around a product that goes on while the next slot is waited for, which is another one than that
  // which is read; null where it is awaited at once.
  scf::ForOp loopInFlight(const CopiedGroup &group) const {
    auto loop = dyn_cast<scf::ForOp>(group.block->getParentOp());
    if (!loop || group.slots < 2 || group.dots.size() != 1 ||
        !llvm::hasSingleElement(group.block->getOps<ir::DotOp>()))
      return nullptr;
    return mayStayInFlight(group.dots.front(), loop) ? loop : nullptr;
  }

  func::FuncOp kernel_;
  const Target &target_;
  gpu::PlanAttr plan_;
  const RolePartition &found_;
  scf::ForOp turns_;
  gpu::ChannelOp turn_;       // which of two consumers waits for slots
  bool isSkipping_ = false;   // produce() moves the cursors alone
  AxisAnalysis facts_;
  ImplicitLocOpBuilder b_;
  SmallVector<CopiedGroup, 1> groups_;
  SmallVector<TileStore, 1> stores_;
  gpu::WorkspaceOp workspace_;         // null until a map is made there
  llvm::DenseSet<Operation *> made_;   // maps and channels, which both programs see
};

struct SpecializeWarps : ir::impl::TileGpuSpecializeWarpsBase<SpecializeWarps> {
  using TileGpuSpecializeWarpsBase::TileGpuSpecializeWarpsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal())
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    auto plan = kernel->getAttrOfType<gpu::PlanAttr>(gpu::PlanName);
    // Of a name that is of no target tile-assign-layouts complains.
    std::optional<Target> found = Target::parse(target);
    if (!found || !plan)
      return;
    WhyNot whyNot;
    std::optional<RolePartition> roles = RolePartition::planned(kernel, *found, whyNot);
    if (!roles)
      return refuse(whyNot.at ? whyNot.at : kernel,
                    whyNot.at ? whyNot.reason
                              : "no load of a product fills a channel that this GPU can fill");
    for (int32_t warps : plan.getWarps().drop_front())
      if (warps != static_cast<int32_t>(ir::numWarps(kernel)))
        return refuse(kernel, "each role that multiplies must have the kernel's tile.num_warps");
    scf::ForOp turns;
    if (plan.getInTurn()) {
      kernel.walk([&](scf::ForOp loop) { turns = loop->hasAttr(gpu::InTurnName) ? loop : turns; });
      if (!turns || loopOfTurns(kernel, *roles) != turns)
        return refuse(turns ? turns : kernel,
                      "in_turn needs a loop that is marked tile_gpu.in_turn: the innermost one around all "
                      "products whose iterations are independent and carry no values");
    }
    Specialization specialization(kernel, *found, plan, *roles, turns);
    if (remarks)
      specialization.remark();
    specialization.run();
    kernel->removeAttr(gpu::PlanName);
  }

 private:
  void refuse(Operation *at, StringRef reason) {
    at->emitError("the plan of this kernel cannot be followed: ") << reason;
    signalPassFailure();
  }
};

}   // namespace
}   // namespace tile
