// SPDX-License-Identifier: MIT
// Conversions between float types, with one rounding each. 8-bit floats are bytes here, made and read by
// integer code that every GPU runs.
#include "compiler/lowering/llvm/patterns.h"
#include "compiler/lowering/llvm/scalar_code.h"
#include "dialects/tile/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace tile::gpu {
namespace {

using V = Value;

struct Format {   // of a small float: code = sign, exponent, `mantissa` bits
  unsigned mantissa, bias, largest, nan;
};
constexpr Format E4M3{3, 7, 0x7e, 0x7f}, E5M2{2, 15, 0x7b, 0x7f}, F16{10, 15, 0x7bff, 0x7fff};

// f64 to f32 so that a second rounding gives what one would: the last bit tells that something was cut off.
V toOdd(ScalarCode &c, V x) {
  V cut = c.intrinsic(c.f32(), "llvm.nvvm.d2f.rz", {x});
  V inexact = c.compare(LLVM::FCmpPredicate::one, c.extend(x.getType(), cut), x);
  V bits = c.bits(cut);
  return c.bitcast(c.f32(), c.or_(bits, c.zeroExtend(c.i32(), inexact)));
}

// An f32 to the code of a small format without its sign. Below the least normal number adding a power of two
// leaves the rounded multiple of the least number in the low bits; above, the bits themselves are rounded.
V smallCode(ScalarCode &c, V x, const Format &f, bool nearest) {
  V size = c.magnitude(x), bits = c.bits(size);
  unsigned drop = 23 - f.mantissa;
  V rounded = bits;
  if (nearest) {
    V odd = c.and_(c.shiftRight(bits, drop), 1);   // halves go to the even neighbour
    rounded = c.plus(c.plus(bits, (1u << (drop - 1)) - 1), odd);
  }
  V normal = c.minus(c.shiftRight(rounded, drop), (127u - f.bias) << f.mantissa);
  V subnormal;
  if (nearest) {
    double magic = std::ldexp(1.0, 23 - static_cast<int>(f.bias + f.mantissa) + 1);
    subnormal = c.minus(c.bits(c.add(size, magic)), llvm::bit_cast<std::uint32_t>(static_cast<float>(magic)));
  } else {
    V scaled = c.mul(size, std::ldexp(1.0, static_cast<int>(f.bias + f.mantissa) - 1));
    subnormal = c.intrinsic(c.i32(), "llvm.fptoui.sat", {scaled});
  }
  V isSmall = c.less(size, std::ldexp(1.0, 1 - static_cast<int>(f.bias)));
  return c.select(isSmall, subnormal, normal);
}

// As f32, or f16 where that is the code and eight zeros.
V fromFp8(ScalarCode &c, V x, bool isE4M3) {
  if (!isE4M3)
    return c.bitcast(Float16Type::get(x.getContext()), c.shiftLeft(c.zeroExtend(c.integer(16), x), 8));
  V code = c.zeroExtend(c.i32(), x), size = c.and_(code, 0x7f);
  // The exponent's and mantissa's bits in place, off by the difference of the biases; exact, subnormals too.
  V value = c.mul(c.bitcast(c.f32(), c.shiftLeft(size, 20)), std::ldexp(1.0, 127 - 7));
  V isNaN = c.compare(LLVM::ICmpPredicate::eq, size, E4M3.nan);
  V bits = c.select(isNaN, c.constant(c.i32(), 0x7fc00000), c.bits(value));
  return c.bitcast(c.f32(), c.or_(bits, c.shiftLeft(c.and_(code, 0x80), 24)));
}

struct FpCastPattern : ConvertOpToLLVMPattern<ir::FpCastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(ir::FpCastOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    Type from = op.getValue().getType(), to = op.getType();
    bool nearest = op.getRounding() == ir::Rounding::nearest_even;
    V x = in.getValue();
    if (isFloat8(from))
      x = fromFp8(c, x, isa<Float8E4M3FNType>(from));
    if (isFloat8(to))
      x = toFp8(c, narrowed(c, x, nearest), isa<Float8E4M3FNType>(to) ? E4M3 : E5M2, nearest);
    else if (nearest)
      x = toNearest(c, x, to);
    else
      x = towardZero(c, x, to);
    b.replaceOp(op, x);
    return success();
  }

 private:
  // What f32 holds of it, for a further rounding.
  static V narrowed(ScalarCode &c, V x, bool nearest) {
    if (!x.getType().isF64())
      return c.extend(c.f32(), x);
    return nearest ? toOdd(c, x) : c.intrinsic(c.f32(), "llvm.nvvm.d2f.rz", {x});
  }

  static V toNearest(ScalarCode &c, V x, Type to) {
    unsigned have = x.getType().getIntOrFloatBitWidth(), want = to.getIntOrFloatBitWidth();
    if (x.getType() == to)
      return x;
    if (have < want)
      return c.extend(to, x);
    if (x.getType().isF64() && want == 16)
      return c.round(to, toOdd(c, x));
    return c.round(to, have == want ? c.extend(c.f32(), x) : x);
  }

  static V towardZero(ScalarCode &c, V x, Type to) {
    if (x.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return c.extend(to, x);
    if (to.isF32())
      return c.intrinsic(c.f32(), "llvm.nvvm.d2f.rz", {x});
    V single = narrowed(c, x, false), bits = c.bits(single);
    V code;
    if (to.isBF16()) {
      code = c.shiftRight(bits, 16);
      V quiet = c.or_(code, 0x40);   // a NaN whose bits would all be cut off
      code = c.select(c.isNaN(single), quiet, code);
    } else {
      code = c.smaller(smallCode(c, single, F16, false), F16.largest);
      V size = c.magnitude(single);
      V infinite = c.compare(LLVM::FCmpPredicate::oeq, size, c.number(c.f32(), INFINITY));
      code = c.select(infinite, c.constant(c.i32(), 0x7c00), code);
      code = c.select(c.isNaN(single), c.constant(c.i32(), F16.nan), code);
      code = c.or_(code, c.and_(c.shiftRight(bits, 16), 0x8000));
    }
    return c.bitcast(to, c.truncate(c.integer(16), code));
  }

  static V toFp8(ScalarCode &c, V x, const Format &f, bool nearest) {
    V code = c.smaller(smallCode(c, x, f, nearest), f.largest);
    code = c.select(c.isNaN(x), c.constant(c.i32(), f.nan), code);
    code = c.or_(code, c.and_(c.shiftRight(c.bits(x), 24), 0x80));
    return c.truncate(c.integer(8), code);
  }
};

// From floats to integers: toward zero, to the ends of the type, NaN to 0.
template <class Op> struct FpToIntPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    const char *name = std::is_same_v<Op, ir::FpToSIOp> ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    V x = in.getValue();
    Type from = op.getValue().getType();
    if (isFloat8(from))
      x = fromFp8(c, x, isa<Float8E4M3FNType>(from));
    if (x.getType().getIntOrFloatBitWidth() == 16)   // exact, and one way for all of them
      x = c.extend(c.f32(), x);
    b.replaceOp(op, c.intrinsic(op.getType(), name, {x}));
    return success();
  }
};

// Integers that f32 does not hold, to bf16 with one rounding: exactly to f64, cut to f32 with a last bit that
// tells of what was cut off, and rounded then. 2^32 + 2^24 + 1 lies above the middle of 2^32 and 2^32 + 2^25,
// but would be that middle once f32 has rounded it.
template <class Op> struct IntToBF16Pattern : ConvertOpToLLVMPattern<Op> {
  explicit IntToBF16Pattern(LLVMTypeConverter &types) : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/2) {}
  static constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    V x = in.getIn();
    if (!op.getType().isBF16() || x.getType().getIntOrFloatBitWidth() < 32)
      return failure();
    ScalarCode c(b, op.getLoc());
    x = exactIn53Bits(c, x);
    V wide = isSigned ? c.signedToFloat(b.getF64Type(), x) : c.unsignedToFloat(b.getF64Type(), x);
    b.replaceOp(op, c.round(op.getType(), toOdd(c, wide)));
    return success();
  }

 private:
  // Of 64 bits, those below the eleventh become the eleventh; unless f64 holds all.
  static V exactIn53Bits(ScalarCode &c, V x) {
    if (!x.getType().isInteger(64))
      return x;
    constexpr std::uint64_t exact = 1ull << 53, step = 1ull << 11;
    V cut = c.compare(LLVM::ICmpPredicate::ne, c.and_(x, step - 1), 0);
    V last = c.shiftLeft(c.zeroExtend(x.getType(), cut), 11);
    V odd = c.or_(c.and_(x, ~(step - 1)), last);
    V isExact =
        c.compare(LLVM::ICmpPredicate::ult, isSigned ? c.plus(x, exact) : x, isSigned ? 2 * exact : exact);
    return c.select(isExact, x, odd);
  }
};

}   // namespace

void populateCastPatterns(LLVMTypeConverter &types, const Target &target, RewritePatternSet &patterns) {
  if (!target.has(Feature::IntegersToBF16))
    patterns.add<IntToBF16Pattern<arith::SIToFPOp>, IntToBF16Pattern<arith::UIToFPOp>>(types);
  patterns.add<FpCastPattern, FpToIntPattern<ir::FpToSIOp>, FpToIntPattern<ir::FpToUIOp>>(types);
}

}   // namespace tile::gpu
