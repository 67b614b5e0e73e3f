// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/producer.h"

#include "compiler/transforms/roles/role_rewrites.h"

#include <array>

using namespace mlir;

namespace tile {

// Maps of tensors that the program describes are made right before they are used: what they need was then
// loaded together.
void Producer::produce(Block &from, IRMapping &map, SmallVectorImpl<Value> &cursors) {
  SmallVector<ir::MakeDescriptorOp, 2> described;
  auto describeAll = [&] {
    describe(described, map, cursors);
    described.clear();
  };
  for (Operation &op : from.without_terminator()) {
    b_.setLoc(op.getLoc());
    if (found_.prefix().contains(&op) || maps_.isMade(&op))
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
               tensor && DeviceMaps::isOwn(tensor) && !isSkipping_) {
      described.push_back(tensor);
    }
    for (auto [group, cursor] : llvm::zip(groups_, cursors))
      if (&op == group.loads.back())
        cursor = fill(group, map, cursor, cursors);
  }
}

void Producer::skip(Block &from, IRMapping &map, SmallVectorImpl<Value> &cursors) {
  isSkipping_ = true;
  produce(from, map, cursors);
  isSkipping_ = false;
}

// Makes the maps of tensors that the program determines. No copy by the maps before is under way then.
void Producer::describe(ArrayRef<ir::MakeDescriptorOp> tensors, const IRMapping &map,
                        ArrayRef<Value> cursors) {
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
        now =
            isFixed ? isAmongFirst(b_, cast<scf::ForOp>(b_.getInsertionBlock()->getParentOp()), 1) : Value();
        maps_.waitToMake<gpu::AwaitCopiesOp>(*now, group.channel, cursor);
      }
      described = maps_.ownMapOf(tensor, described, maps_.placeOfMap(described), map, *now);
    }
  }
}

Value Producer::fill(CopiedGroup &group, IRMapping &map, Value cursor, ValueRange cursors) {
  if (isSkipping_)
    return gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
  if (found_.mayEndEarly())
    gpu::AwaitSlotOrEndOp::create(
        b_, group.channel, cursor,
        llvm::map_to_vector(groups_, [](CopiedGroup &copied) -> Value { return copied.channel; }), cursors);
  auto slot = gpu::AcquireOp::create(b_, gpu::SlotType::get(b_.getContext()), group.channel, cursor);
  for (auto [i, load] : llvm::enumerate(group.loads)) {
    SmallVector<Value> coords =
        maps_.coordinatesOf(load.getDesc().getDefiningOp<ir::MakeDescriptorOp>(), load.getCoords(), map);
    gpu::CopyBoxOp::create(b_, group.maps[i], coords, slot, static_cast<uint32_t>(i), group.isShared[i]);
  }
  gpu::CommitOp::create(b_, slot);
  return gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
}

// The cursors of load groups within an op.
SmallVector<unsigned> Producer::groupsIn(Operation *op) {
  SmallVector<unsigned> inside;
  for (auto [i, group] : llvm::enumerate(groups_))
    if (op->isAncestor(group.block->getParentOp()))
      inside.push_back(static_cast<unsigned>(i));
  return inside;
}

void Producer::produceLoop(scf::ForOp loop, IRMapping &map, SmallVectorImpl<Value> &cursors) {
  SmallVector<unsigned> carried, inside = groupsIn(loop);
  SmallVector<Value> inits;
  for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
    if (found_.isNeeded(loop.getRegionIterArg(i)) || found_.isNeeded(loop.getResult(i))) {
      carried.push_back(i);
      inits.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
    }
  for (unsigned i : inside)
    inits.push_back(cursors[i]);
  auto made = scf::ForOp::create(b_, map.lookupOrDefault(loop.getLowerBound()),
                                 map.lookupOrDefault(loop.getUpperBound()),
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

void Producer::produceBranch(scf::IfOp branch, IRMapping &map, SmallVectorImpl<Value> &cursors) {
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

}   // namespace tile
