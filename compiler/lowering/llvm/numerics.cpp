// SPDX-License-Identifier: MIT
// Scalar arithmetic of the language on the machine, with the meaning that docs/language.md gives it.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile::gpu {
namespace {

Value integer(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}
Value intrinsic(OpBuilder &b, Location loc, Type type, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
}

// A zero divisor acts as 1; the smallest number divided by -1 stays itself, for which -1 acts as 1 too and
// the quotient is negated.
template <class Op> struct QuotientPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  static constexpr bool IsSigned = std::is_same_v<Op, ir::DivSIOp> || std::is_same_v<Op, ir::RemSIOp>;
  static constexpr bool IsQuotient = std::is_same_v<Op, ir::DivSIOp> || std::is_same_v<Op, ir::DivUIOp>;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = in.getLhs().getType();
    Value one = integer(b, loc, type, 1), a = in.getLhs(), d = in.getRhs();
    Value isZero = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, d, integer(b, loc, type, 0));
    Value safe = LLVM::SelectOp::create(b, loc, isZero, one, d), isMinusOne;
    if (IsSigned) {
      isMinusOne = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, d, integer(b, loc, type, -1));
      safe = LLVM::SelectOp::create(b, loc, isMinusOne, one, safe);
    }
    Value result;
    if (IsQuotient)
      result = IsSigned ? Value(LLVM::SDivOp::create(b, loc, a, safe))
                        : Value(LLVM::UDivOp::create(b, loc, a, safe));
    else
      result = IsSigned ? Value(LLVM::SRemOp::create(b, loc, a, safe))
                        : Value(LLVM::URemOp::create(b, loc, a, safe));
    if (IsSigned && IsQuotient) {
      Value negated = LLVM::SubOp::create(b, loc, integer(b, loc, type, 0), result);
      result = LLVM::SelectOp::create(b, loc, isMinusOne, negated, result);
    }
    b.replaceOp(op, result);
    return success();
  }
};

// 1 + (a - 1) / d for a > 0: no sum that could overflow.
struct UnsignedCeilingPattern : ConvertOpToLLVMPattern<ir::CeilDivUIOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::CeilDivUIOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = in.getLhs().getType();
    Value zero = integer(b, loc, type, 0), one = integer(b, loc, type, 1), a = in.getLhs(), d = in.getRhs();
    Value isZero = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, d, zero);
    Value below = LLVM::SubOp::create(b, loc, a, one);
    Value quotient = LLVM::UDivOp::create(b, loc, below, LLVM::SelectOp::create(b, loc, isZero, one, d));
    Value up = LLVM::AddOp::create(b, loc, quotient, one);
    Value nothing = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, a, zero);
    b.replaceOpWithNewOp<LLVM::SelectOp>(op, nothing, zero, up);
    return success();
  }
};

// The quotient is rounded towards zero: where something is left and the quotient is no less than zero, the
// ceiling is the next number.
struct SignedCeilingPattern : ConvertOpToLLVMPattern<ir::CeilDivSIOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::CeilDivSIOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = in.getLhs().getType();
    Value zero = integer(b, loc, type, 0), a = in.getLhs(), d = in.getRhs();
    Value quotient = ir::DivSIOp::create(b, loc, a, d), rest = ir::RemSIOp::create(b, loc, a, d);
    Value isLeft = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, rest, zero);
    Value alike =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::sge, LLVM::XOrOp::create(b, loc, a, d), zero);
    Value up = LLVM::ZExtOp::create(b, loc, type, LLVM::AndOp::create(b, loc, isLeft, alike));
    b.replaceOpWithNewOp<LLVM::AddOp>(op, quotient, up);
    return success();
  }
};

// PTX's own shifts take 32 bits of the amount and know 64 and more. LLVM 22 knows that and drops the
// comparison that guards a shift, together with the amount's upper half.
Value amount64(OpBuilder &b, Location loc, Value amount) {
  Value most = integer(b, loc, amount.getType(), 64);
  Value clamped = intrinsic(b, loc, amount.getType(), "llvm.umin", {amount, most});
  return LLVM::TruncOp::create(b, loc, b.getI32Type(), clamped);
}

// An amount of the width or more leaves nothing, or the sign.
template <class Op, class Shift> struct ShiftPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  static constexpr bool IsLeft = std::is_same_v<Op, ir::ShLIOp>, IsSigned = std::is_same_v<Op, ir::ShRSIOp>;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = in.getLhs().getType();
    int64_t width = type.getIntOrFloatBitWidth();
    APInt known;
    if (matchPattern(op.getRhs(), m_ConstantInt(&known)) && known.ult(width)) {
      b.template replaceOpWithNewOp<Shift>(op, in.getLhs(), in.getRhs());
      return success();
    }
    if (width == 64) {
      Value amount = amount64(b, loc, in.getRhs());
      if (IsLeft)
        b.replaceOpWithNewOp<PtxShiftLeftOp>(op, type, in.getLhs(), amount);
      else
        b.replaceOpWithNewOp<PtxShiftRightOp>(op, type, in.getLhs(), amount, IsSigned);
      return success();
    }
    Value fits =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, in.getRhs(), integer(b, loc, type, width));
    Value amount = LLVM::SelectOp::create(b, loc, fits, in.getRhs(), integer(b, loc, type, width - 1));
    Value shifted = Shift::create(b, loc, in.getLhs(), amount);
    if (!IsSigned)
      shifted = LLVM::SelectOp::create(b, loc, fits, shifted, integer(b, loc, type, 0));
    b.replaceOp(op, shifted);
    return success();
  }
};

template <bool IsSigned, class Op> struct MulHighPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    unsigned width = in.getLhs().getType().getIntOrFloatBitWidth();
    if (width == 64) {   // 128 bits would be a call
      const char *name = IsSigned ? "llvm.nvvm.mulhi.ll" : "llvm.nvvm.mulhi.ull";
      b.replaceOp(op, intrinsic(b, loc, in.getLhs().getType(), name, {in.getLhs(), in.getRhs()}));
      return success();
    }
    Type wide = b.getIntegerType(2 * width);
    auto extend = [&](Value v) {
      return IsSigned ? Value(LLVM::SExtOp::create(b, loc, wide, v))
                      : Value(LLVM::ZExtOp::create(b, loc, wide, v));
    };
    Value right = extend(in.getRhs());
    Value product = LLVM::MulOp::create(b, loc, extend(in.getLhs()), right);
    Value high = LLVM::LShrOp::create(b, loc, product, integer(b, loc, wide, width));
    b.template replaceOpWithNewOp<LLVM::TruncOp>(op, in.getLhs().getType(), high);
    return success();
  }
};

// LLVM's minnum leaves the order of zeros open, PTX's min.f32 does not: -0 < +0 there, and NaN is ignored
// or, with .NaN, kept. minimumnum and minimum say that to LLVM.
template <class Op> struct ExtremumPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    std::string name = std::is_same_v<Op, ir::MaximumOp> ? "llvm.maximum" : "llvm.minimum";
    if (op.getNan() == ir::NanRule::ignore)
      name += "num";
    b.replaceOp(op, intrinsic(b, op.getLoc(), in.getLhs().getType(), name, {in.getLhs(), in.getRhs()}));
    return success();
  }
};

struct ClampPattern : ConvertOpToLLVMPattern<ir::ClampOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::ClampOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Value raised = ir::MaximumOp::create(b, op.getLoc(), op.getValue(), op.getLow(), op.getNan());
    b.replaceOpWithNewOp<ir::MinimumOp>(op, raised, op.getHigh(), op.getNan());
    (void)in;
    return success();
  }
};

struct AssumePattern : ConvertOpToLLVMPattern<ir::AssumeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::AssumeOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    b.replaceOp(op, in.getValue());   // what it says has been used
    return success();
  }
};

// The simulator is given the pointers as they are: a number would be the address alone, without the buffer.
struct AssumeApartPattern : ConvertOpToLLVMPattern<ir::AssumeApartOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::AssumeApartOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    if (op->hasAttr(CheckedName)) {
      Value yes = LLVM::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true));
      LLVM::AssumeOp::create(b, op.getLoc(), yes, "tile.apart", ValueRange{in.getPtr(), in.getOther()});
    }
    b.eraseOp(op);
    return success();
  }
};

}   // namespace

void populateNumericPatterns(LLVMTypeConverter &types, const Target &target, RewritePatternSet &patterns) {
  patterns.add<QuotientPattern<ir::DivSIOp>, QuotientPattern<ir::DivUIOp>, QuotientPattern<ir::RemSIOp>,
               QuotientPattern<ir::RemUIOp>, SignedCeilingPattern, UnsignedCeilingPattern,
               ShiftPattern<ir::ShLIOp, LLVM::ShlOp>, ShiftPattern<ir::ShRSIOp, LLVM::AShrOp>,
               ShiftPattern<ir::ShRUIOp, LLVM::LShrOp>, MulHighPattern<false, ir::MulHiUIOp>,
               MulHighPattern<true, ir::MulHiSIOp>, ExtremumPattern<ir::MaximumOp>,
               ExtremumPattern<ir::MinimumOp>, ClampPattern, AssumePattern, AssumeApartPattern>(types);
  populateCastPatterns(types, target, patterns);
  populateMathPatterns(types, patterns);
  populateRandomPatterns(types, patterns);
}

}   // namespace tile::gpu
