// SPDX-License-Identifier: MIT
// Folds and canonical forms of the total arithmetic and of the conversions.
#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/numerics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tile::ir;
using llvm::APFloat;
using llvm::APInt;

//===------------------------------------------------------------------------===//
// Quotients, remainders, shifts
//===------------------------------------------------------------------------===//

using IntFunction = APInt (*)(const APInt &, const APInt &);

static Attribute foldInts(ArrayRef<Attribute> operands, Type type, IntFunction function) {
  return foldElementwise<APInt>(operands, type,
                                [&](ArrayRef<APInt> values) { return function(values[0], values[1]); });
}

static Attribute zeroOf(Type type) {
  return makeConstant(type, APInt::getZero(getElementType(type).getIntOrFloatBitWidth()));
}

// x / 1 and, since a zero divisor acts as 1, x / 0 are x; 0 / x is 0 for every x.
template <class Op>
static OpFoldResult foldQuotient(Op op, ArrayRef<Attribute> operands, IntFunction function) {
  if (Attribute constant = foldInts(operands, op.getType(), function))
    return constant;
  if (operands[1] && allOfInts(operands[1], [](const APInt &b) { return b.ule(1); }))
    return op.getLhs();
  std::optional<APInt> dividend = getSplatInt(operands[0]);
  return dividend && dividend->isZero() ? operands[0] : Attribute();
}

template <class Op>
static OpFoldResult foldRemainder(Op op, ArrayRef<Attribute> operands, IntFunction function, bool isSigned) {
  if (Attribute constant = foldInts(operands, op.getType(), function))
    return constant;
  auto leavesNothing = [&](const APInt &b) { return b.ule(1) || (isSigned && b.isAllOnes()); };
  if (operands[1] && allOfInts(operands[1], leavesNothing))
    return zeroOf(op.getType());
  std::optional<APInt> dividend = getSplatInt(operands[0]);
  return dividend && dividend->isZero() ? operands[0] : Attribute();
}

template <class Op>
static OpFoldResult foldShift(Op op, ArrayRef<Attribute> operands, IntFunction function, bool keepsSign) {
  if (Attribute constant = foldInts(operands, op.getType(), function))
    return constant;
  std::optional<APInt> value = getSplatInt(operands[0]);
  if (value && value->isZero())
    return operands[0];
  std::optional<APInt> amount = getSplatInt(operands[1]);
  if (!amount)
    return {};
  if (amount->isZero())
    return op.getLhs();
  return !keepsSign && amount->uge(amount->getBitWidth()) ? zeroOf(op.getType()) : Attribute();
}

OpFoldResult DivSIOp::fold(FoldAdaptor adaptor) {
  return foldQuotient(*this, adaptor.getOperands(), quotientSigned);
}
OpFoldResult DivUIOp::fold(FoldAdaptor adaptor) {
  return foldQuotient(*this, adaptor.getOperands(), quotientUnsigned);
}
OpFoldResult CeilDivSIOp::fold(FoldAdaptor adaptor) {
  return foldQuotient(*this, adaptor.getOperands(), ceilingSigned);
}
OpFoldResult CeilDivUIOp::fold(FoldAdaptor adaptor) {
  return foldQuotient(*this, adaptor.getOperands(), ceilingUnsigned);
}
OpFoldResult RemSIOp::fold(FoldAdaptor adaptor) {
  return foldRemainder(*this, adaptor.getOperands(), remainderSigned, /*isSigned=*/true);
}
OpFoldResult RemUIOp::fold(FoldAdaptor adaptor) {
  return foldRemainder(*this, adaptor.getOperands(), remainderUnsigned, /*isSigned=*/false);
}
OpFoldResult ShLIOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor.getOperands(), shiftLeft, /*keepsSign=*/false);
}
OpFoldResult ShRSIOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor.getOperands(), shiftRightSigned, /*keepsSign=*/true);
}
OpFoldResult ShRUIOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor.getOperands(), shiftRightUnsigned, /*keepsSign=*/false);
}

// With a constant right operand that `arith` has a meaning for, the op is `arith`'s.
template <class ArithOp, class Op>
static LogicalResult toArith(Op op, PatternRewriter &rewriter,
                             llvm::function_ref<bool(const APInt &)> isHarmless) {
  if (!allOfInts(getConstant(op.getRhs()), isHarmless))
    return failure();
  rewriter.replaceOpWithNewOp<ArithOp>(op, op.getLhs(), op.getRhs());
  return success();
}

static bool isHarmlessDivisor(const APInt &b) { return !b.isZero() && !b.isAllOnes(); }
static bool isNotZero(const APInt &b) { return !b.isZero(); }
static bool isBelowWidth(const APInt &amount) { return amount.ult(amount.getBitWidth()); }

LogicalResult DivSIOp::canonicalize(DivSIOp op, PatternRewriter &rewriter) {
  // x / -1 -> 0 - x, which wraps for MIN as the quotient does.
  std::optional<APInt> divisor = getSplatInt(getConstant(op.getRhs()));
  if (divisor && divisor->isAllOnes()) {
    Value zero = createZero(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, zero, op.getLhs());
    return success();
  }
  return toArith<arith::DivSIOp>(op, rewriter, isHarmlessDivisor);
}
LogicalResult DivUIOp::canonicalize(DivUIOp op, PatternRewriter &rewriter) {
  return toArith<arith::DivUIOp>(op, rewriter, isNotZero);
}
LogicalResult RemSIOp::canonicalize(RemSIOp op, PatternRewriter &rewriter) {
  return toArith<arith::RemSIOp>(op, rewriter, isHarmlessDivisor);
}
LogicalResult RemUIOp::canonicalize(RemUIOp op, PatternRewriter &rewriter) {
  return toArith<arith::RemUIOp>(op, rewriter, isNotZero);
}
LogicalResult CeilDivSIOp::canonicalize(CeilDivSIOp op, PatternRewriter &rewriter) {
  return toArith<arith::CeilDivSIOp>(op, rewriter, isHarmlessDivisor);
}
LogicalResult CeilDivUIOp::canonicalize(CeilDivUIOp op, PatternRewriter &rewriter) {
  return toArith<arith::CeilDivUIOp>(op, rewriter, isNotZero);
}
LogicalResult ShLIOp::canonicalize(ShLIOp op, PatternRewriter &rewriter) {
  return toArith<arith::ShLIOp>(op, rewriter, isBelowWidth);
}
LogicalResult ShRSIOp::canonicalize(ShRSIOp op, PatternRewriter &rewriter) {
  // All that is left from the width on is the sign: shifting by width - 1 gives it too.
  std::optional<APInt> amount = getSplatInt(getConstant(op.getRhs()));
  if (amount && !isBelowWidth(*amount)) {
    APInt last(amount->getBitWidth(), amount->getBitWidth() - 1);
    Value capped = createInt(rewriter, op.getLoc(), op.getType(), last);
    rewriter.replaceOpWithNewOp<arith::ShRSIOp>(op, op.getLhs(), capped);
    return success();
  }
  return toArith<arith::ShRSIOp>(op, rewriter, isBelowWidth);
}
LogicalResult ShRUIOp::canonicalize(ShRUIOp op, PatternRewriter &rewriter) {
  return toArith<arith::ShRUIOp>(op, rewriter, isBelowWidth);
}

OpFoldResult MulHiUIOp::fold(FoldAdaptor adaptor) {
  if (Attribute constant = foldInts(adaptor.getOperands(), getType(), highProductUnsigned))
    return constant;
  std::optional<APInt> factor = getSplatInt(adaptor.getRhs());
  return factor && factor->ule(1) ? zeroOf(getType()) : Attribute();
}
OpFoldResult MulHiSIOp::fold(FoldAdaptor adaptor) {
  if (Attribute constant = foldInts(adaptor.getOperands(), getType(), highProductSigned))
    return constant;
  std::optional<APInt> factor = getSplatInt(adaptor.getRhs());
  return factor && factor->isZero() ? zeroOf(getType()) : Attribute();
}

//===------------------------------------------------------------------------===//
// Extrema
//===------------------------------------------------------------------------===//

template <class Op>
static OpFoldResult foldExtremum(Op op, ArrayRef<Attribute> operands,
                                 APFloat (*function)(const APFloat &, const APFloat &, NanRule),
                                 bool neutralIsNegative) {
  if (op.getLhs() == op.getRhs())
    return op.getLhs();
  auto apply = [&](ArrayRef<APFloat> values) { return function(values[0], values[1], op.getNan()); };
  if (Attribute constant = foldElementwise<APFloat>(operands, op.getType(), apply))
    return constant;
  std::optional<APFloat> known = getSplatFloat(operands[1]);
  if (!known)
    return {};
  bool propagates = op.getNan() == NanRule::propagate;
  if (known->isNaN())
    return propagates ? OpFoldResult(operands[1]) : OpFoldResult(op.getLhs());
  // maximum(x, -inf) is x, but under `ignore` a NaN in x would become -inf.
  bool isNeutral = propagates && known->isInfinity() && known->isNegative() == neutralIsNegative;
  return isNeutral ? OpFoldResult(op.getLhs()) : OpFoldResult();
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor.getOperands(), larger, /*neutralIsNegative=*/true);
}
OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor.getOperands(), smaller, /*neutralIsNegative=*/false);
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  auto clamp = [&](ArrayRef<APFloat> values) {
    return smaller(larger(values[0], values[1], getNan()), values[2], getNan());
  };
  return foldElementwise<APFloat>(adaptor.getOperands(), getType(), clamp);
}

//===------------------------------------------------------------------------===//
// Conversions
//===------------------------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(getElementType(type)).getFloatSemantics();
}

// The operand of a cast that loses nothing, for instance of f16 to f32.
static Value beforeWidening(Value value) {
  auto cast = value.getDefiningOp<FpCastOp>();
  if (!cast)
    return {};
  Value source = cast.getValue();
  bool isExact = APFloat::isRepresentableBy(semanticsOf(source.getType()), semanticsOf(cast.getType()));
  return isExact ? source : Value();
}

LogicalResult FpCastOp::verify() {
  if (getValue().getType() == getType())
    return emitOpError() << "converts " << getElementType(getType()) << " to itself";
  return success();
}

OpFoldResult FpCastOp::fold(FoldAdaptor adaptor) {
  auto convertOne = [&](ArrayRef<APFloat> values) {
    return convert(values[0], semanticsOf(getType()), getRounding());
  };
  if (Attribute constant = foldElementwise<APFloat>(adaptor.getOperands(), getType(), convertOne))
    return constant;
  Value source = beforeWidening(getValue());
  if (!source)
    return {};
  if (source.getType() != getType()) {
    // f16 -> f32 -> bf16 is f16 -> bf16: only the last step rounds.
    setOperand(source);
    return getResult();
  }
  // There and back is the identity, but for e5m2, whose infinities saturate on the way back.
  return isa<Float8E5M2Type>(getElementType(getType())) ? Value() : source;
}

template <class Op> static OpFoldResult foldToInteger(Op op, Attribute operand, bool isSigned) {
  unsigned width = getElementType(op.getType()).getIntOrFloatBitWidth();
  auto truncate = [&](ArrayRef<APFloat> values) { return toInteger(values[0], width, isSigned); };
  if (Attribute constant = foldElementwise<APFloat>(operand, op.getType(), truncate))
    return constant;
  Value source = beforeWidening(op.getValue());
  if (!source)
    return {};
  op.getValueMutable().assign(source);
  return op.getResult();
}

OpFoldResult FpToSIOp::fold(FoldAdaptor adaptor) { return foldToInteger(*this, adaptor.getValue(), true); }
OpFoldResult FpToUIOp::fold(FoldAdaptor adaptor) { return foldToInteger(*this, adaptor.getValue(), false); }
