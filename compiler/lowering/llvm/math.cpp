// SPDX-License-Identifier: MIT
// The functions of analysis, without a library: the machine's own approximations where they are good enough
// for docs/language.md, polynomials elsewhere. 16-bit floats compute in f32 and round once.
#include "compiler/lowering/llvm/double_math.h"
#include "compiler/lowering/llvm/patterns.h"
#include "compiler/lowering/llvm/scalar_code.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tile::gpu {
namespace {

using V = Value;

// PTX ISA, "Floating Point Instructions": ex2.approx is within 2 ulp; lg2.approx within 2^-22 of the
// result, near 1 of the value; rsqrt.approx within 2^-22.9.
V exp2(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.nvvm.ex2.approx", {x}); }
V log2(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.nvvm.lg2.approx.f", {x}); }

struct FastExp2Pattern : ConvertOpToLLVMPattern<math::Exp2Op> {
  FastExp2Pattern(LLVMTypeConverter &types) : ConvertOpToLLVMPattern(types, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::Exp2Op op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) || op.getType().isF64())
      return failure();
    ScalarCode c(b, op.getLoc());
    V x = c.extend(c.f32(), in.getOperand());
    b.replaceOp(op, c.round(op.getType(), c.exp2OfNormal(x)));
    return success();
  }
};

// The product is off by half a unit of at most 128, which makes 4e-6 of the result: the language grants 1e-5.
V exp(ScalarCode &c, V x) { return exp2(c, c.mul(x, std::numbers::log2e)); }

// Within 2 ulp, and without the branch of the exact quotient. 0 where y is beyond 2^126.
V quotient(ScalarCode &c, V x, V y) { return c.intrinsic(x.getType(), "llvm.nvvm.div.full", {x, y}); }

V log(ScalarCode &c, V x) { return c.mul(log2(c, x), 0.6931471805599453); }

// |x| = k pi/2 + r, |r| <= pi/4; pi/2 in three parts so that r keeps its bits. Polynomials: S. Moshier,
// "Methods and Programs for Mathematical Functions" (1989), single precision.
V sineOfQuadrant(ScalarCode &c, V x, unsigned shift) {
  V quarter = c.intrinsic(x.getType(), "llvm.rint", {c.mul(x, 0.6366197723675814)});
  V r = c.fma(quarter, -1.57079601287841796875, x);
  r = c.fma(quarter, -3.1391647326017846e-07, r);
  r = c.fma(quarter, -5.390302529957765e-15, r);
  V square = c.mul(r, r);
  V cube = c.mul(r, square);
  V sine = c.fma(cube, c.polynomial(square, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), r);
  V cosine =
      c.polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, -0.5, 1.0});
  V k = c.plus(c.intrinsic(c.i32(), "llvm.fptosi.sat", {quarter}), shift);
  V odd = c.compare(LLVM::ICmpPredicate::ne, c.and_(k, 1), 0);
  V value = c.select(odd, cosine, sine);
  V bits = c.bits(value);
  return c.bitcast(x.getType(), c.xor_(bits, c.shiftLeft(c.and_(k, 2), 30)));
}

V tanh(ScalarCode &c, V x) {
  V size = c.magnitude(x), square = c.mul(x, x);
  V cube = c.mul(x, square);
  V small = c.fma(cube,
                  c.polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                        1.33314422036e-1, -3.33332819422e-1}),
                  x);
  V one = c.number(x.getType(), 1);
  V power = c.exp2OfNormal(c.mul(size, 2 * std::numbers::log2e));
  V large = c.sub(one, c.mul(c.reciprocalOfNormal(c.add(power, one)), 2));
  V isSmall = c.less(size, 0.625);
  return c.select(isSmall, small, c.withSignOf(large, x));
}

// Near 0, x times a polynomial of x^2; beyond, 1 - erfc(|x|), by a polynomial for its binary logarithm, which
// falls for ever. Both are fits of least relative error of erf: within 4e-7 with all roundings. No quotient
// and no branch, for activations call this for each element.
V erf(ScalarCode &c, V x) {
  V size = c.magnitude(x), square = c.mul(x, x);
  V small = c.mul(
      x, c.polynomial(square, {3.90083318e-3, -2.60674476e-2, 1.12634707e-1, -3.76107972e-1, 1.1283789}));
  V rest = exp2(c, c.polynomial(size, {-1.89768956e-3, 2.31715124e-2, -1.33486464e-1, -9.35921293e-1,
                                       -1.61812545, -2.15747337e-3}));
  V large = c.withSignOf(c.sub(c.number(x.getType(), 1), rest), x);
  return c.select(c.less(size, 0.85), small, large);
}

// Near 0 by 2 atanh(x / (2 + x)); beyond, 1 + x loses nothing that counts.
V log1p(ScalarCode &c, V x) {
  V s = c.div(x, c.add(x, 2.0)), z = c.mul(s, s);
  V series = c.polynomial(z, {2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3});
  // x - s x is 2 s, and has its first part exactly.
  V small = c.sub(x, c.mul(s, c.sub(x, c.mul(z, series))));
  V isSmall = c.less(c.magnitude(x), 0.5), large = log(c, c.add(x, 1.0));
  return c.select(isSmall, small, large);
}

V expm1(ScalarCode &c, V x) {
  V small = c.mul(x, c.polynomial(x, {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                                      1.0 / 6, 0.5, 1.0}));
  V large = c.add(exp(c, x), -1.0);
  return c.select(c.less(c.magnitude(x), 0.5), small, large);
}

V floor(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.floor", {x}); }
V ceil(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.ceil", {x}); }
V trunc(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.trunc", {x}); }
V roundEven(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.rint", {x}); }

// Halves away from zero. What is cut off is exact, and has the number's sign.
V round(ScalarCode &c, V x) {
  V whole = trunc(c, x), away = c.add(whole, c.withSignOf(c.number(x.getType(), 1), x));
  V rest = c.magnitude(c.sub(x, whole));   // of an infinity a NaN
  return c.select(c.compare(ScalarCode::Float::oge, rest, c.number(x.getType(), 0.5)), away, whole);
}

using Function = V (*)(ScalarCode &, V);

// `single` computes in f32, whatever narrower type the op is of.
template <class Op> struct FunctionPattern : ConvertOpToLLVMPattern<Op> {
  FunctionPattern(LLVMTypeConverter &types, Function single, Function wide)
      : ConvertOpToLLVMPattern<Op>(types), single(single), wide(wide) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    Type type = op.getType();
    ScalarCode c(b, op.getLoc());
    V x = in.getOperand();
    if (type.isF64())
      b.replaceOp(op, wide(c, x));
    else
      b.replaceOp(op, c.round(type, single(c, c.extend(c.f32(), x))));
    return success();
  }
  Function single, wide;
};

V correctSqrt(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.sqrt", {x}); }
V fastSqrt(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.nvvm.sqrt.approx.f", {x}); }

struct SqrtPattern : ConvertOpToLLVMPattern<math::SqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::SqrtOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    Type type = op.getType();
    bool fast = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) && !type.isF64();
    V x = type.isF64() ? in.getOperand() : c.extend(c.f32(), in.getOperand());
    b.replaceOp(op, c.round(type, fast ? fastSqrt(c, x) : correctSqrt(c, x)));
    return success();
  }
};

// An approximation of the logarithm is no good to be multiplied by a large power: f64 carries all of the
// digits.
struct PowPattern : ConvertOpToLLVMPattern<math::PowFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::PowFOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    V x = c.extend(b.getF64Type(), in.getLhs()), y = c.extend(b.getF64Type(), in.getRhs());
    V power = powDouble(c, x, y);
    Type type = op.getType();
    b.replaceOp(op, type.isF64() ? power : c.round(type, c.round(c.f32(), power)));
    return success();
  }
};

struct FmaPattern : ConvertOpToLLVMPattern<math::FmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::FmaOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    Type type = op.getType(), wide = type.isF64() ? type : c.f32();
    V x = c.extend(wide, in.getA()), y = c.extend(wide, in.getB()), z = c.extend(wide, in.getC());
    b.replaceOp(op, c.round(type, c.fma(x, y, z)));
    return success();
  }
};

// Signs are bits, of a NaN too.
struct AbsPattern : ConvertOpToLLVMPattern<math::AbsFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::AbsFOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    b.replaceOp(op, c.magnitude(in.getOperand()));
    return success();
  }
};
struct NegatePattern : ConvertOpToLLVMPattern<arith::NegFOp> {
  NegatePattern(LLVMTypeConverter &types) : ConvertOpToLLVMPattern(types, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::NegFOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    V x = in.getOperand();
    unsigned width = x.getType().getIntOrFloatBitWidth();
    b.replaceOp(op, c.bitcast(x.getType(), c.xor_(c.bits(x), std::uint64_t(1) << (width - 1))));
    return success();
  }
};

struct AbsIntegerPattern : ConvertOpToLLVMPattern<math::AbsIOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::AbsIOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::AbsOp>(op, op.getType(), in.getOperand(), /*is_int_min_poison=*/false);
    return success();
  }
};

// a / b of 16-bit floats in f32, rounded once; the fast form is the machine's.
struct DividePattern : ConvertOpToLLVMPattern<arith::DivFOp> {
  DividePattern(LLVMTypeConverter &types) : ConvertOpToLLVMPattern(types, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    Type type = op.getType(), wide = type.isF64() ? type : c.f32();
    V x = c.extend(wide, in.getLhs()), y = c.extend(wide, in.getRhs());
    bool fast = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp) && !type.isF64();
    b.replaceOp(op, c.round(type, fast ? quotient(c, x, y) : c.div(x, y)));
    return success();
  }
};

}   // namespace

void populateMathPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<FunctionPattern<math::ExpOp>>(types, exp, expDouble);
  patterns.add<FunctionPattern<math::Exp2Op>>(types, exp2, exp2Double);
  patterns.add<FunctionPattern<math::LogOp>>(types, log, logDouble);
  patterns.add<FunctionPattern<math::Log2Op>>(types, log2, log2Double);
  patterns.add<FunctionPattern<math::SinOp>>(
      types, [](ScalarCode &c, V x) { return sineOfQuadrant(c, x, 0); },
      [](ScalarCode &c, V x) { return sineDouble(c, x, 0); });
  patterns.add<FunctionPattern<math::CosOp>>(
      types, [](ScalarCode &c, V x) { return sineOfQuadrant(c, x, 1); },
      [](ScalarCode &c, V x) { return sineDouble(c, x, 1); });
  patterns.add<FunctionPattern<math::TanhOp>>(types, tanh, tanhDouble);
  patterns.add<FunctionPattern<math::ErfOp>>(types, erf, erfDouble);
  patterns.add<FunctionPattern<math::RsqrtOp>>(
      types, [](ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.nvvm.rsqrt.approx.f", {x}); },
      [](ScalarCode &c, V x) { return c.div(c.number(x.getType(), 1), correctSqrt(c, x)); });
  patterns.add<FunctionPattern<math::Log1pOp>>(types, log1p, log1pDouble);
  patterns.add<FunctionPattern<math::ExpM1Op>>(types, expm1, expm1Double);
  patterns.add<FunctionPattern<math::FloorOp>>(types, floor, floor);
  patterns.add<FunctionPattern<math::CeilOp>>(types, ceil, ceil);
  patterns.add<FunctionPattern<math::TruncOp>>(types, trunc, trunc);
  patterns.add<FunctionPattern<math::RoundOp>>(types, round, round);
  patterns.add<FunctionPattern<math::RoundEvenOp>>(types, roundEven, roundEven);
  patterns.add<FastExp2Pattern, SqrtPattern, PowPattern, FmaPattern, AbsPattern, NegatePattern,
               AbsIntegerPattern, DividePattern>(types);
}

}   // namespace tile::gpu
