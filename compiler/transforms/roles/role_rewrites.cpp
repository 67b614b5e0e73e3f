// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/role_rewrites.h"

#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tile {

bool isOfProduct(Value tile, llvm::function_ref<bool(ir::DotOp)> isMade) {
  SmallVector<Value> open{tile};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    if (!isa<RankedTensorType>(v.getType()) || !seen.insert(v).second)
      continue;
    Operation *op = v.getDefiningOp();
    if (auto dot = dyn_cast_or_null<ir::DotOp>(op))
      return isMade(dot);
    if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
      open.push_back(loop.getYieldedValues()[cast<OpResult>(v).getResultNumber()]);
    else if (op && ir::isElementwise(op))
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

bool isForAllCtas(ir::DescriptorLoadOp load) {
  if (ir::numCtas(load->getParentOfType<func::FuncOp>()) == 1)
    return false;
  SmallVector<Value> open(load.getCoords());
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(v);
    Operation *op = argument ? argument.getOwner()->getParentOp() : v.getDefiningOp();
    if (isa<func::FuncOp>(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (argument == loop.getInductionVar()) {
        open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
        continue;
      }
      const unsigned carried = argument ? argument.getArgNumber() - 1 : cast<OpResult>(v).getResultNumber();
      open.append({loop.getInitArgs()[carried], loop.getYieldedValues()[carried]});
    } else if (isa<gpu::CtaRankOp>(op) || op->getNumRegions() != 0) {
      return false;
    } else {
      llvm::append_range(open, op->getOperands());
    }
  }
  return true;
}

int64_t bytesForExchange(Value value) {
  constexpr int64_t ofTiles = 32 << 10, ofLines = 4096;
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return !tile ? 0 : tile.getRank() > 1 ? ofTiles : ofLines;
}

int64_t bytesForExchanges(func::FuncOp kernel, llvm::function_ref<bool(ir::DescriptorLoadOp)> isBoxed) {
  constexpr int64_t least = 1024;
  int64_t bytes = least;
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<ir::DescriptorLoadOp>(op); load && isBoxed(load))
      return;
    if (isa<ir::LoadOp, ir::DescriptorLoadOp, ir::ReduceOp, ir::ScanOp, ir::GatherOp, ir::ReshapeOp>(op))
      for (Value result : op->getResults())
        bytes = std::max(bytes, bytesForExchange(result));
    if (auto store = dyn_cast<ir::StoreOp>(op))
      bytes = std::max(bytes, bytesForExchange(store.getValue()));
  });
  return bytes;
}

bool isFixedIn(scf::ForOp loop, Value v) {
  SmallVector<Value> open{v};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value part = open.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(part) || !seen.insert(part).second)
      continue;
    Operation *op = part.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isa<ir::LoadOp>(op)))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

bool gatherAtStart(ir::MakeDescriptorOp tensor) {
  Block *block = tensor->getBlock();
  llvm::SmallDenseSet<Operation *> parts{tensor};
  SmallVector<Operation *> open{tensor};
  while (!open.empty())
    for (Value v : open.pop_back_val()->getOperands()) {
      Operation *op = v.getDefiningOp();
      if (!op || !block->getParentOp()->isAncestor(op))
        continue;
      if (op->getBlock() != block)
        return false;
      if (parts.insert(op).second)
        open.push_back(op);
    }
  Block::iterator to = block->begin();
  for (Operation &op : llvm::make_early_inc_range(*block)) {
    if (!parts.contains(&op))
      continue;
    if (to == Block::iterator(op))
      ++to;
    else
      op.moveBefore(block, to);
  }
  return true;
}

Value isAmongFirst(ImplicitLocOpBuilder &b, scf::ForOp loop, unsigned count) {
  Type type = loop.getInductionVar().getType();
  Value since = arith::SubIOp::create(b, loop.getInductionVar(), loop.getLowerBound());
  Value steps =
      arith::MulIOp::create(b, loop.getStep(), arith::ConstantOp::create(b, b.getIntegerAttr(type, count)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, since, steps);
}

Value storeIsAllowed(ImplicitLocOpBuilder &b, AxisAnalysis &facts, Operation *store,
                     ir::MakeDescriptorOp tensor, OperandRange coordinates) {
  const unsigned bits = tensor.getType().getElement().getIntOrFloatBitWidth();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(store);
  Value all;
  auto demand = [&](Value condition) {
    all = all ? Value(arith::AndIOp::create(b, all, condition)) : condition;
  };
  auto number = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  const int64_t unit = 16 * 8 / bits;
  for (Value v : {tensor.getShape().back(), coordinates.back()})
    if (facts.of(v).axes[0].divisibility % unit != 0) {
      Value rest = arith::AndIOp::create(b, v, number(v.getType(), unit - 1));
      demand(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, number(v.getType(), 0)));
    }
  for (Value coordinate : coordinates)
    if (!facts.isNonNegative(coordinate))
      demand(
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, coordinate, number(coordinate.getType(), 0)));
  return all;
}

void carryOutwards(ImplicitLocOpBuilder &b, Value now, Value next) {
  IRRewriter rewriter(b.getContext());
  for (;;) {
    Operation *around = now.getDefiningOp()->getParentOp();
    if (isa<gpu::RolesOp>(around))
      return;
    b.setInsertionPoint(around);
    b.setLoc(around->getLoc());
    Value outer = b.clone(*now.getDefiningOp())->getResult(0);
    if (auto loop = dyn_cast<scf::ForOp>(around)) {
      auto carried = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
          rewriter, outer, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{next}; }));
      now.replaceAllUsesWith(carried.getRegionIterArgs().back());
      now.getDefiningOp()->erase();
      next = carried.getResults().back();
    } else {
      auto branch = cast<scf::IfOp>(around);
      SmallVector<Type> types(branch.getResultTypes());
      types.push_back(now.getType());
      auto wider = scf::IfOp::create(b, types, branch.getCondition(), /*withElseRegion=*/true);
      bool isThen = now.getParentRegion() == &branch.getThenRegion();
      for (auto [i, from, to] : llvm::enumerate(branch->getRegions(), wider->getRegions())) {
        if (from.empty()) {   // and it gave nothing
          if (!to.front().empty())
            to.front().back().erase();
          OpBuilder atEnd = OpBuilder::atBlockEnd(&to.front());
          scf::YieldOp::create(atEnd, around->getLoc(), outer);
          continue;
        }
        to.takeBody(from);
        Operation *yield = to.front().getTerminator();
        yield->insertOperands(yield->getNumOperands(), (i == 0) == isThen ? next : outer);
      }
      now.replaceAllUsesWith(outer);
      now.getDefiningOp()->erase();
      branch->replaceAllUsesWith(wider.getResults().drop_back());
      branch.erase();
      next = wider.getResults().back();
    }
    now = outer;
  }
}

}   // namespace tile
