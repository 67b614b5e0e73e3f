// SPDX-License-Identifier: MIT
#include "compiler/analysis/trip_count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile {

Value tripCount(ImplicitLocOpBuilder &b, Value lower, Value upper, Value step, bool isUnsigned) {
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(lower.getType(), value));
  };
  auto less = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(b, less, lower, upper);
  Value last = arith::SubIOp::create(b, arith::SubIOp::create(b, upper, lower), integer(1));
  Value count = arith::AddIOp::create(b, arith::DivUIOp::create(b, last, step), integer(1));
  return arith::SelectOp::create(b, runs, count, integer(0));
}

}   // namespace tile
