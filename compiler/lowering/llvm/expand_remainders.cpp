// SPDX-License-Identifier: MIT
// `%` of floats, exact for any quotient: the remainder of two numbers of a format is a number of it. LLVM's
// own expansion by a division is not, where the quotient has more bits than a mantissa.
//
// Long division of the mantissas, a bit of the quotient per step:
//
//    while the exponent of x is above that of y { if mx >= my { mx -= my }; mx <<= 1; exponent -= 1 }
#include "compiler/lowering/llvm/patterns.h"
#include "compiler/lowering/llvm/scalar_code.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {
namespace {

using V = Value;
using Int = ScalarCode::Int;

struct FloatFormat {
  unsigned width, mantissa;   // in bits
  std::uint64_t implicitBit() const { return std::uint64_t(1) << mantissa; }
};

class LongDivision {
 public:
  LongDivision(OpBuilder &b, Location loc, Type type)
      : b_(b), loc_(loc), c_(b, loc), type_(type),
        format_(type.isF64() ? FloatFormat{64, 52} : FloatFormat{32, 23}),
        integer_(b.getIntegerType(format_.width)) {}

  V remainder(V x, V y) {
    V sizeX = c_.bits(c_.magnitude(x)), sizeY = c_.bits(c_.magnitude(y));
    Number dividend = split(sizeX), divisor = split(sizeY);
    V left = divide(dividend, divisor);
    V result = joined({left, divisor.exponent});
    result = c_.select(LLVM::ICmpOp::create(b_, loc_, Int::ult, sizeX, sizeY), sizeX, result);
    result = c_.withSignOf(c_.bitcast(type_, result), x);
    // By zero, of an infinity, or with a NaN there is no remainder: the result is a NaN.
    V infinity = c_.constant(integer_, ((std::uint64_t(1) << (format_.width - 1 - format_.mantissa)) - 1)
                                           << format_.mantissa);
    V isNone = LLVM::ICmpOp::create(b_, loc_, Int::uge, sizeX, infinity);
    isNone = c_.or_(isNone, LLVM::ICmpOp::create(b_, loc_, Int::ugt, sizeY, infinity));
    isNone = c_.or_(isNone, c_.compare(Int::eq, sizeY, 0));
    V product = c_.mul(x, y);
    return c_.select(isNone, c_.div(product, product), result);
  }

 private:
  struct Number {
    V mantissa, exponent;   // with the leading bit where the implicit one is; biased
  };

  V leadingZeros(V bits) {
    return LLVM::CountLeadingZerosOp::create(b_, loc_, integer_, bits, /*is_zero_poison=*/false);
  }
  // How far the leading bit is below its place.
  V missingShift(V mantissa) {
    return c_.minus(leadingZeros(mantissa), format_.width - 1 - format_.mantissa);
  }
  V shiftedLeft(V x, V by) { return LLVM::ShlOp::create(b_, loc_, x, by); }

  Number split(V bits) {
    V exponent = c_.shiftRight(bits, format_.mantissa), shift = missingShift(bits);
    V isSubnormal = c_.compare(Int::eq, exponent, 0);
    V own = c_.or_(c_.and_(bits, format_.implicitBit() - 1), format_.implicitBit());
    V one = c_.constant(integer_, 1);
    return {c_.select(isSubnormal, shiftedLeft(bits, shift), own),
            c_.select(isSubnormal, c_.minus(one, shift), exponent)};
  }

  V subtracted(V mantissa, V divisor) {
    V fits = LLVM::ICmpOp::create(b_, loc_, Int::uge, mantissa, divisor);
    return c_.select(fits, c_.minus(mantissa, divisor), mantissa);
  }

  // What is left of the dividend's mantissa, at the divisor's exponent.
  V divide(const Number &dividend, const Number &divisor) {
    auto loop = scf::WhileOp::create(
        b_, loc_, TypeRange{integer_, integer_}, ValueRange{dividend.mantissa, dividend.exponent},
        [&](OpBuilder &, Location, ValueRange now) {
          V above = LLVM::ICmpOp::create(b_, loc_, Int::sgt, now[1], divisor.exponent);
          scf::ConditionOp::create(b_, loc_, above, now);
        },
        [&](OpBuilder &, Location, ValueRange now) {
          V next = c_.shiftLeft(subtracted(now[0], divisor.mantissa), 1);
          scf::YieldOp::create(b_, loc_, ValueRange{next, c_.minus(now[1], 1)});
        });
    return subtracted(loop.getResult(0), divisor.mantissa);
  }

  V joined(const Number &number) {
    V shift = missingShift(number.mantissa), exponent = c_.minus(number.exponent, shift);
    V mantissa = shiftedLeft(number.mantissa, shift);
    V field = c_.shiftLeft(exponent, format_.mantissa);
    V normal = c_.or_(c_.minus(mantissa, format_.implicitBit()), field);
    V down = c_.minus(c_.constant(integer_, 1), exponent);
    V subnormal = LLVM::LShrOp::create(b_, loc_, mantissa, down);
    V bits = c_.select(c_.compare(Int::sgt, exponent, 0), normal, subnormal);
    V zero = c_.constant(integer_, 0);
    return c_.select(c_.compare(Int::eq, number.mantissa, 0), zero, bits);
  }

  OpBuilder &b_;
  Location loc_;
  ScalarCode c_;
  Type type_;
  FloatFormat format_;
  Type integer_;
};

}   // namespace

// 16-bit floats have their remainder in f32, exactly.
void expandRemainders(func::FuncOp kernel) {
  kernel.walk([](arith::RemFOp op) {
    OpBuilder b(op);
    ScalarCode c(b, op.getLoc());
    Type type = op.getType(), wide = type.isF64() ? type : c.f32();
    V dividend = c.extend(wide, op.getLhs()), divisor = c.extend(wide, op.getRhs());
    V left = LongDivision(b, op.getLoc(), wide).remainder(dividend, divisor);
    op.replaceAllUsesWith(c.round(type, left));
    op.erase();
  });
}

}   // namespace tile::gpu
