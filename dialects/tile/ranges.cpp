// SPDX-License-Identifier: MIT
// What an integer of each op can be, for MLIR's range analysis: `tile-simplify` proves with it that a
// divisor is not zero, a shift small, a mask all true.
#include "dialects/tile/dialect.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace tile::ir;
using llvm::APInt;

static ConstantIntRanges signedRange(unsigned width, int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(width, low, /*isSigned=*/true),
                                       APInt(width, high, /*isSigned=*/true));
}

// The driver's limits of a grid.
static int64_t mostPrograms(Axis axis) { return axis == Axis::x ? 0x7fffffff : 65535; }

void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), signedRange(32, 0, mostPrograms(getAxis()) - 1));
}

void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), signedRange(32, 1, mostPrograms(getAxis())));
}

void AssumeOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  ConstantIntRanges known = operands.front();
  if (std::optional<ArrayRef<int64_t>> range = getRange()) {
    ConstantIntRanges promised = signedRange(known.smin().getBitWidth(), range->front(), range->back());
    // A promise that contradicts what is known is not believed.
    if (promised.smin().sle(known.smax()) && known.smin().sle(promised.smax()))
      known = ConstantIntRanges::fromSigned(llvm::APIntOps::smax(known.smin(), promised.smin()),
                                            llvm::APIntOps::smin(known.smax(), promised.smax()));
  }
  setRange(getResult(), known);
}

void ArangeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), signedRange(32, getStartAttr().getInt(), getEndAttr().getInt() - 1));
}

void HistogramOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), signedRange(32, 0, getValue().getType().getNumElements()));
}

// Moving elements changes none.
#define TILE_SAME_RANGE(Op)                                                                                  \
  void Op::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {                 \
    setRange(getResult(), operands.front());                                                                 \
  }
TILE_SAME_RANGE(SplatOp)
TILE_SAME_RANGE(BroadcastOp)
TILE_SAME_RANGE(ExpandDimsOp)
TILE_SAME_RANGE(ReshapeOp)
TILE_SAME_RANGE(PermuteOp)
#undef TILE_SAME_RANGE

void JoinOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  setRange(getResult(), operands[0].rangeUnion(operands[1]));
}

void SplitOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  setRange(getLhs(), operands.front());
  setRange(getRhs(), operands.front());
}

//===------------------------------------------------------------------------===//
// Total arithmetic
//===------------------------------------------------------------------------===//

using RangeFunction = ConstantIntRanges (*)(ArrayRef<ConstantIntRanges>);

// A zero divisor acts as 1, so 0 .. n is 1 .. n. A signed divisor of either sign says nothing.
static void inferQuotient(Value result, ArrayRef<ConstantIntRanges> operands, bool isSigned,
                          RangeFunction function, SetIntRangeFn setRange) {
  unsigned width = operands[1].umin().getBitWidth();
  ConstantIntRanges divisor = operands[1];
  if (divisor.umin().isZero() && (!isSigned || divisor.smin().isNonNegative())) {
    APInt one(width, 1);
    divisor = ConstantIntRanges::fromUnsigned(one, llvm::APIntOps::umax(one, divisor.umax()));
  }
  if (isSigned && divisor.smin().isNonPositive() && divisor.smax().isNonNegative())
    setRange(result, ConstantIntRanges::maxRange(width));
  else
    setRange(result, function({operands[0], divisor}));
}

#define TILE_QUOTIENT_RANGE(Op, isSigned, function)                                                          \
  void Op::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {                 \
    inferQuotient(getResult(), operands, isSigned, intrange::function, setRange);                            \
  }
TILE_QUOTIENT_RANGE(DivSIOp, true, inferDivS)
TILE_QUOTIENT_RANGE(DivUIOp, false, inferDivU)
TILE_QUOTIENT_RANGE(RemSIOp, true, inferRemS)
TILE_QUOTIENT_RANGE(RemUIOp, false, inferRemU)
TILE_QUOTIENT_RANGE(CeilDivUIOp, false, inferCeilDivU)
#undef TILE_QUOTIENT_RANGE

// MLIR takes the ceiling of MIN / b for positive, as one way to expand it would have it.
void CeilDivSIOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  if (operands[0].smin().isMinSignedValue())
    return setRange(getResult(), ConstantIntRanges::maxRange(operands[0].smin().getBitWidth()));
  inferQuotient(getResult(), operands, /*isSigned=*/true, intrange::inferCeilDivS, setRange);
}

static bool staysBelowWidth(const ConstantIntRanges &amount) {
  return amount.umax().ult(amount.umax().getBitWidth());
}

void ShLIOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  setRange(getResult(), staysBelowWidth(operands[1])
                            ? intrange::inferShl(operands)
                            : ConstantIntRanges::maxRange(operands[0].umin().getBitWidth()));
}

// Whatever the amount, the result lies between the operand and 0 (or -1, for a negative operand).
void ShRSIOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  if (staysBelowWidth(operands[1]))
    return setRange(getResult(), intrange::inferShrS(operands));
  unsigned width = operands[0].smin().getBitWidth();
  APInt low = operands[0].smin(), high = operands[0].smax();
  setRange(getResult(), ConstantIntRanges::fromSigned(low.isNegative() ? low : APInt::getZero(width),
                                                      high.isNegative() ? APInt::getAllOnes(width) : high));
}

void ShRUIOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands, SetIntRangeFn setRange) {
  if (staysBelowWidth(operands[1]))
    return setRange(getResult(), intrange::inferShrU(operands));
  unsigned width = operands[0].umin().getBitWidth();
  setRange(getResult(), ConstantIntRanges::fromUnsigned(APInt::getZero(width), operands[0].umax()));
}
