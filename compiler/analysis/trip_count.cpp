// SPDX-License-Identifier: MIT
#include "compiler/analysis/trip_count.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile {

// A loop over the programs of a grid steps by how many CTAs there are.
static bool isPositive(Value step, bool isUnsigned) {
  APInt known;
  if (matchPattern(step, m_ConstantInt(&known)))
    return isUnsigned ? !known.isZero() : known.isStrictlyPositive();
  if (auto fact = step.getDefiningOp<ir::AssumeOp>(); fact && fact.getRange())
    return fact.getRange()->front() > 0;
  return isa_and_nonnull<ir::NumProgramsOp, gpu::CtaCountOp>(step.getDefiningOp());
}

Value isAnyTrip(ImplicitLocOpBuilder &b, Value lower, Value upper, bool isUnsigned) {
  auto less = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(b, less, lower, upper);
}

Value tripCount(ImplicitLocOpBuilder &b, Value lower, Value upper, Value step, bool isUnsigned) {
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(lower.getType(), value));
  };
  Value runs = isAnyTrip(b, lower, upper, isUnsigned);
  if (!isPositive(step, isUnsigned)) {
    auto more = isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    auto goesOn = arith::CmpIOp::create(b, more, step, integer(0));
    goesOn->setDiscardableAttr(StepName, b.getUnitAttr());
    step = arith::SelectOp::create(b, goesOn, step, integer(1));
    runs = arith::AndIOp::create(b, runs, goesOn);
  }
  Value last = arith::SubIOp::create(b, arith::SubIOp::create(b, upper, lower), integer(1));
  Value count = arith::AddIOp::create(b, arith::DivUIOp::create(b, last, step), integer(1));
  return arith::SelectOp::create(b, runs, count, integer(0));
}

}   // namespace tile
