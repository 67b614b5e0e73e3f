// SPDX-License-Identifier: MIT
#include "compiler/transforms/vector_mask.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <algorithm>

using namespace mlir;

namespace tile {
namespace {

using Predicate = arith::CmpIPredicate;

// One of the conditions that a mask consists of, and the ops that spread it over the tile: outermost first.
struct Condition {
  Value holds;
  SmallVector<Operation *> spread;
  std::optional<unsigned> axis;   // which of its own the vectors lie along; none where it is equal along them
};

void collect(Value mask, Condition path, SmallVectorImpl<Condition> &all) {
  while (Operation *op = mask.getDefiningOp()) {
    if (auto both = dyn_cast<arith::AndIOp>(op)) {
      collect(both.getLhs(), path, all);
      collect(both.getRhs(), std::move(path), all);
      return;
    }
    if (auto expand = dyn_cast<ir::ExpandDimsOp>(op)) {
      if (path.axis && expand.getAxis() == *path.axis)
        path.axis.reset();
      else if (path.axis && expand.getAxis() < *path.axis)
        --*path.axis;
    } else if (auto broadcast = dyn_cast<ir::BroadcastOp>(op)) {
      if (path.axis && ir::getShape(broadcast.getValue().getType())[*path.axis] !=
                           ir::getShape(broadcast.getType())[*path.axis])
        path.axis.reset();
    } else {
      break;
    }
    path.spread.push_back(op);
    mask = op->getOperand(0);
  }
  path.holds = mask;
  all.push_back(std::move(path));
}

SmallVector<Condition> conditionsOf(Value mask, unsigned axis) {
  SmallVector<Condition> all;
  collect(mask, {nullptr, {}, axis}, all);
  return all;
}

// A comparison `run < limit` whose first operand counts up along the axis.
struct Bound {
  Value run, limit;
  std::int64_t length;   // of the runs it can be asked for
};

std::optional<Bound> boundOf(const Condition &condition, const AxisAnalysis &facts) {
  auto compare = condition.holds.getDefiningOp<arith::CmpIOp>();
  if (!compare || !condition.axis)
    return std::nullopt;
  Predicate how = compare.getPredicate();
  Bound bound{compare.getLhs(), compare.getRhs(), 1};
  if (how == Predicate::sgt || how == Predicate::ugt)
    std::swap(bound.run, bound.limit);
  else if (how != Predicate::slt && how != Predicate::ult)
    return std::nullopt;
  // A run that begins at a multiple of its length does not pass the end of its type.
  AxisFact run = facts.of(bound.run).axes[*condition.axis],
           limit = facts.of(bound.limit).axes[*condition.axis];
  bound.length = std::min({run.contiguity, run.divisibility, limit.constancy});
  return bound;
}

std::int64_t equalAlong(const Condition &condition, std::int64_t most, const AxisAnalysis &facts) {
  return condition.axis ? std::min(most, facts.of(condition.holds).axes[*condition.axis].constancy) : most;
}

// The same ops once more, for other elements.
Value spreadAgain(ImplicitLocOpBuilder &b, Value v, const Condition &condition) {
  Type element = ir::getElementType(v.getType());
  for (Operation *op : llvm::reverse(condition.spread)) {
    IRMapping map;
    map.map(op->getOperand(0), v);
    v = b.clone(*op, map)->getResult(0);
    auto spread = cast<RankedTensorType>(v.getType());
    v.setType(RankedTensorType::get(spread.getShape(), element, spread.getEncoding()));
  }
  return v;
}

// k < left ? min(left - k, length) : 0, in 32 bits, spread as the condition was. Where the comparison holds
// the difference is right as a number without sign, whatever the operands are.
Value countInside(ImplicitLocOpBuilder &b, const Condition &condition, const Bound &bound,
                  std::int64_t length) {
  auto type = cast<RankedTensorType>(bound.run.getType());
  auto splat = [&](RankedTensorType of, std::int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(of, b.getIntegerAttr(of.getElementType(), value)));
  };
  Value count = arith::SubIOp::create(b, bound.limit, bound.run);
  count = arith::MinUIOp::create(b, count, splat(type, length));
  auto narrow = RankedTensorType::get(type.getShape(), b.getI32Type(), type.getEncoding());
  if (type.getElementTypeBitWidth() > 32)
    count = arith::TruncIOp::create(b, narrow, count);
  else if (type.getElementTypeBitWidth() < 32)
    count = arith::ExtUIOp::create(b, narrow, count);
  count = arith::SelectOp::create(b, condition.holds, count, splat(narrow, 0));
  return spreadAgain(b, count, condition);
}

}   // namespace

std::int64_t maskedLength(Value mask, unsigned axis, std::int64_t most, const AxisAnalysis &facts) {
  for (const Condition &condition : conditionsOf(mask, axis)) {
    std::int64_t length = equalAlong(condition, most, facts);
    if (std::optional<Bound> bound = boundOf(condition, facts))
      length = std::max(length, bound->length);
    most = std::min(most, length);
  }
  return most;
}

VectorMask takeApart(ImplicitLocOpBuilder &b, Value mask, unsigned axis, std::int64_t length,
                     const AxisAnalysis &facts) {
  SmallVector<Condition> conditions = conditionsOf(mask, axis);
  auto isWhole = [&](const Condition &condition) { return equalAlong(condition, length, facts) >= length; };
  if (llvm::all_of(conditions, isWhole))
    return {mask, nullptr};
  VectorMask result;
  for (const Condition &condition : conditions) {
    if (isWhole(condition)) {
      Value holds = spreadAgain(b, condition.holds, condition);
      result.whole = result.whole ? Value(arith::AndIOp::create(b, result.whole, holds)) : holds;
    } else {
      Value count = countInside(b, condition, *boundOf(condition, facts), length);
      result.inside = result.inside ? Value(arith::MinUIOp::create(b, result.inside, count)) : count;
    }
  }
  return result;
}

}   // namespace tile
