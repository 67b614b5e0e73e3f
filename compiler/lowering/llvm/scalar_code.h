// SPDX-License-Identifier: MIT
// Shorthand for writing scalar arithmetic in the LLVM dialect: `c.add(c.mul(x, y), 1.0)` for numbers and
// `c.xor_(c.bits(x), 0x80000000)` for their bits.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace tile::gpu {

inline bool isFloat8(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

class ScalarCode {
 public:
  ScalarCode(mlir::OpBuilder &b, mlir::Location loc) : b_(b), loc_(loc) {}
  using V = mlir::Value;
  using Int = mlir::LLVM::ICmpPredicate;
  using Float = mlir::LLVM::FCmpPredicate;

  mlir::Type i32() { return b_.getI32Type(); }
  mlir::Type f32() { return b_.getF32Type(); }
  mlir::Type integer(unsigned bits) { return b_.getIntegerType(bits); }

  V constant(mlir::Type type, std::uint64_t bits) {
    return mlir::LLVM::ConstantOp::create(
        b_, loc_, type,
        b_.getIntegerAttr(type,
                          llvm::APInt(type.getIntOrFloatBitWidth(), bits, false, /*implicitTrunc=*/true)));
  }
  V number(mlir::Type type, double value) {   // in all elements of a vector
    mlir::TypedAttr number = b_.getFloatAttr(mlir::getElementTypeOrSelf(type), value);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      number = mlir::DenseElementsAttr::get(vector, llvm::ArrayRef<mlir::Attribute>(number));
    return mlir::LLVM::ConstantOp::create(b_, loc_, type, number);
  }

  // Numbers.
  V add(V x, V y) { return make<mlir::LLVM::FAddOp>(x, y); }
  V sub(V x, V y) { return make<mlir::LLVM::FSubOp>(x, y); }
  V mul(V x, V y) { return make<mlir::LLVM::FMulOp>(x, y); }
  V div(V x, V y) { return make<mlir::LLVM::FDivOp>(x, y); }
  V add(V x, double y) { return add(x, number(x.getType(), y)); }
  V mul(V x, double y) { return mul(x, number(x.getType(), y)); }
  V fma(V x, V y, V z) { return intrinsic(x.getType(), "llvm.fma", {x, y, z}); }
  V fma(V x, V y, double z) { return fma(x, y, number(x.getType(), z)); }
  V fma(V x, double y, V z) { return fma(x, number(x.getType(), y), z); }
  // By one instruction, for which numbers below the smallest normal one are 0.
  V exp2OfNormal(V x) { return intrinsic(f32(), "llvm.nvvm.ex2.approx.ftz", {x}); }
  V reciprocalOfNormal(V x) { return intrinsic(f32(), "llvm.nvvm.rcp.approx.ftz.f", {x}); }
  // c[0] x^n + ... + c[n], from the highest power.
  V polynomial(V x, llvm::ArrayRef<double> c) {
    V sum = number(x.getType(), c.front());
    for (double next : c.drop_front())
      sum = fma(sum, x, next);
    return sum;
  }
  V less(V x, double y) {
    return mlir::LLVM::FCmpOp::create(b_, loc_, Float::olt, x, number(x.getType(), y));
  }
  V compare(Float how, V x, V y) { return mlir::LLVM::FCmpOp::create(b_, loc_, how, x, y); }
  V isNaN(V x) { return compare(Float::uno, x, x); }

  // Bits.
  V and_(V x, std::uint64_t y) { return make<mlir::LLVM::AndOp>(x, constant(x.getType(), y)); }
  V or_(V x, V y) { return make<mlir::LLVM::OrOp>(x, y); }
  V or_(V x, std::uint64_t y) { return or_(x, constant(x.getType(), y)); }
  V xor_(V x, V y) { return make<mlir::LLVM::XOrOp>(x, y); }
  V xor_(V x, std::uint64_t y) { return xor_(x, constant(x.getType(), y)); }
  V shiftRight(V x, unsigned n) { return make<mlir::LLVM::LShrOp>(x, constant(x.getType(), n)); }
  V shiftRightSigned(V x, unsigned n) { return make<mlir::LLVM::AShrOp>(x, constant(x.getType(), n)); }
  V shiftLeft(V x, unsigned n) { return make<mlir::LLVM::ShlOp>(x, constant(x.getType(), n)); }
  V plus(V x, V y) { return make<mlir::LLVM::AddOp>(x, y); }
  V plus(V x, std::uint64_t y) { return plus(x, constant(x.getType(), y)); }
  V minus(V x, std::uint64_t y) { return make<mlir::LLVM::SubOp>(x, constant(x.getType(), y)); }
  V minus(V x, V y) { return make<mlir::LLVM::SubOp>(x, y); }
  V times(V x, V y) { return make<mlir::LLVM::MulOp>(x, y); }
  V compare(Int how, V x, std::uint64_t y) {
    return mlir::LLVM::ICmpOp::create(b_, loc_, how, x, constant(x.getType(), y));
  }
  V smaller(V x, std::uint64_t y) { return select(compare(Int::ult, x, y), x, constant(x.getType(), y)); }

  V bits(V x) { return bitcast(integer(x.getType().getIntOrFloatBitWidth()), x); }
  V bitcast(mlir::Type type, V x) {
    return x.getType() == type ? x : V(mlir::LLVM::BitcastOp::create(b_, loc_, type, x));
  }
  V zeroExtend(mlir::Type type, V x) { return mlir::LLVM::ZExtOp::create(b_, loc_, type, x); }
  V unsignedToFloat(mlir::Type type, V x) { return mlir::LLVM::UIToFPOp::create(b_, loc_, type, x); }
  V signedToFloat(mlir::Type type, V x) { return mlir::LLVM::SIToFPOp::create(b_, loc_, type, x); }
  V truncate(mlir::Type type, V x) { return mlir::LLVM::TruncOp::create(b_, loc_, type, x); }
  V extend(mlir::Type type, V x) {   // of a float
    return x.getType() == type ? x : V(mlir::LLVM::FPExtOp::create(b_, loc_, type, x));
  }
  V round(mlir::Type type, V x) {
    return x.getType() == type ? x : V(mlir::LLVM::FPTruncOp::create(b_, loc_, type, x));
  }
  V select(V condition, V x, V y) { return mlir::LLVM::SelectOp::create(b_, loc_, condition, x, y); }
  V intrinsic(mlir::Type type, llvm::StringRef name, mlir::ValueRange operands) {
    return mlir::LLVM::CallIntrinsicOp::create(b_, loc_, type, b_.getStringAttr(name), operands).getResult(0);
  }
  V magnitude(V x) {
    unsigned width = x.getType().getIntOrFloatBitWidth();
    return bitcast(x.getType(), and_(bits(x), ~(std::uint64_t(1) << (width - 1))));
  }
  // The magnitude of x with the sign of y.
  V withSignOf(V x, V y) {
    unsigned width = x.getType().getIntOrFloatBitWidth();
    V sign = and_(bits(y), std::uint64_t(1) << (width - 1));
    return bitcast(x.getType(), or_(bits(magnitude(x)), sign));
  }

 private:
  template <class Op> V make(V x, V y) { return Op::create(b_, loc_, x, y); }
  mlir::OpBuilder &b_;
  mlir::Location loc_;
};

}   // namespace tile::gpu
