// SPDX-License-Identifier: MIT
#include "dialects/tile/numerics.h"

#include "llvm/ADT/APSInt.h"

using llvm::APFloat;
using llvm::APInt;

namespace tile::ir {

static bool overflows(const APInt &a, const APInt &b) { return a.isMinSignedValue() && b.isAllOnes(); }

APInt quotientSigned(const APInt &a, const APInt &b) { return b.isZero() || overflows(a, b) ? a : a.sdiv(b); }

APInt quotientUnsigned(const APInt &a, const APInt &b) { return b.isZero() ? a : a.udiv(b); }

APInt remainderSigned(const APInt &a, const APInt &b) {
  return b.isZero() || overflows(a, b) ? APInt::getZero(a.getBitWidth()) : a.srem(b);
}

APInt remainderUnsigned(const APInt &a, const APInt &b) {
  return b.isZero() ? APInt::getZero(a.getBitWidth()) : a.urem(b);
}

APInt ceilingSigned(const APInt &a, const APInt &b) {
  APInt quotient = quotientSigned(a, b);
  // Truncation went down only where the exact quotient is positive: 7 / 2 = 3, but -7 / 2 = -3.
  bool isPositive = a.isNegative() == b.isNegative();
  return remainderSigned(a, b).isZero() || !isPositive ? quotient : quotient + 1;
}

APInt ceilingUnsigned(const APInt &a, const APInt &b) {
  APInt quotient = quotientUnsigned(a, b);
  return remainderUnsigned(a, b).isZero() ? quotient : quotient + 1;
}

// APInt's own shifts take an amount up to the width.
static unsigned cappedAmount(const APInt &amount) {
  return static_cast<unsigned>(amount.getLimitedValue(amount.getBitWidth()));
}

APInt shiftLeft(const APInt &a, const APInt &amount) { return a.shl(cappedAmount(amount)); }
APInt shiftRightSigned(const APInt &a, const APInt &amount) { return a.ashr(cappedAmount(amount)); }
APInt shiftRightUnsigned(const APInt &a, const APInt &amount) { return a.lshr(cappedAmount(amount)); }

APInt highProductSigned(const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  return (a.sext(2 * width) * b.sext(2 * width)).extractBits(width, width);
}

APInt highProductUnsigned(const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  return (a.zext(2 * width) * b.zext(2 * width)).extractBits(width, width);
}

APFloat larger(const APFloat &a, const APFloat &b, NanRule rule) {
  return rule == NanRule::propagate ? llvm::maximum(a, b) : llvm::maximumnum(a, b);
}

APFloat smaller(const APFloat &a, const APFloat &b, NanRule rule) {
  return rule == NanRule::propagate ? llvm::minimum(a, b) : llvm::minimumnum(a, b);
}

APFloat convert(const APFloat &value, const llvm::fltSemantics &to, Rounding rounding) {
  if (value.isNaN())
    return APFloat::getNaN(to, value.isNegative());
  bool saturates = APFloat::semanticsSizeInBits(to) == 8;
  APFloat largest = APFloat::getLargest(to, value.isNegative());
  if (saturates && value.isInfinity())
    return largest;
  APFloat result = value;
  bool losesInfo = false;
  result.convert(to, rounding == Rounding::toward_zero ? APFloat::rmTowardZero : APFloat::rmNearestTiesToEven,
                 &losesInfo);
  // Past the largest value e5m2 rounds to an infinity and e4m3, which has none, to its NaN.
  if (saturates && !result.isFinite())
    return largest;
  return result;
}

APInt toInteger(const APFloat &value, unsigned width, bool isSigned) {
  llvm::APSInt result(width, /*isUnsigned=*/!isSigned);
  if (value.isNaN())
    return result;
  bool isExact = false;
  // Out of range it gives the nearest end of the integer type, which is the language's rule too.
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

}   // namespace tile::ir
