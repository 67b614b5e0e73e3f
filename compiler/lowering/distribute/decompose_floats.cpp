// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/decompose_floats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstdint>

using namespace mlir;

namespace tile::gpu {
namespace {

Value bitsOf(ImplicitLocOpBuilder &b, Value x) { return arith::BitcastOp::create(b, b.getI32Type(), x); }
Value number(ImplicitLocOpBuilder &b, std::int64_t bits) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<std::int32_t>(bits)));
}
Value floatOf(ImplicitLocOpBuilder &b, Value bits) {
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}
// x, or 0 if the rest that it left is a NaN, as inf - inf is.
Value whereFinite(ImplicitLocOpBuilder &b, Value rest, Value x) {
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, rest, rest);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  return arith::SelectOp::create(b, isNumber, x, zero);
}

// One f32 as up to three bf16, each rounded to nearest.
Parts bf16PartsOf(ImplicitLocOpBuilder &b, Value x, bool inThree) {
  auto rounded = [&](Value v) -> Value {
    return ir::FpCastOp::create(b, b.getBF16Type(), v, ir::Rounding::nearest_even);
  };
  auto restOf = [&](Value v, Value part) -> Value {
    Value back = ir::FpCastOp::create(b, b.getF32Type(), part, ir::Rounding::nearest_even);
    return arith::SubFOp::create(b, v, back);
  };
  // The largest floats would round to infinity: they lose their low bits instead.
  Value magnitude = arith::AndIOp::create(b, bitsOf(b, x), number(b, 0x7FFFFFFF));
  Value above = arith::SubIOp::create(b, magnitude, number(b, 0x7F7F8000));
  Value overflows = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, above, number(b, 0x8000));
  Value cut = floatOf(b, arith::AndIOp::create(b, bitsOf(b, x), number(b, 0xFFFF0000)));
  Value value = arith::SelectOp::create(b, overflows, cut, x);

  Value first = rounded(value), rest = restOf(x, first);
  Value finite = rounded(whereFinite(b, rest, value));
  rest = whereFinite(b, rest, rest);
  Value second = rounded(rest);
  return {first, finite, second, inThree ? rounded(restOf(rest, second)) : Value()};
}

}   // namespace

ArrayRef<PartProduct> partProducts(ir::Precision precision) {
  static constexpr PartProduct one[] = {{Part::First, Part::First}};
  static constexpr PartProduct three[] = {
      {Part::Second, Part::Finite}, {Part::Finite, Part::Second}, {Part::First, Part::First}};
  static constexpr PartProduct six[] = {{Part::Second, Part::Second}, {Part::Third, Part::Finite},
                                        {Part::Finite, Part::Third},  {Part::Second, Part::Finite},
                                        {Part::Finite, Part::Second}, {Part::First, Part::First}};
  switch (precision) {
  case ir::Precision::tf32x3:
  case ir::Precision::bf16x3:
    return three;
  case ir::Precision::bf16x6:
    return six;
  default:
    return one;
  }
}

// The unit drops the low 13 bits itself: x as it is will do for the first part.
Parts decomposeIntoTf32(ImplicitLocOpBuilder &b, Value x) {
  Value first = floatOf(b, arith::AndIOp::create(b, bitsOf(b, x), number(b, 0xFFFFE000)));
  Value rest = arith::SubFOp::create(b, x, first);
  return {bitsOf(b, x), bitsOf(b, whereFinite(b, rest, x)), bitsOf(b, whereFinite(b, rest, rest)), Value()};
}

Parts decomposeIntoBf16(ImplicitLocOpBuilder &b, Value low, Value high, bool inThree) {
  Parts lows = bf16PartsOf(b, low, inThree), highs = bf16PartsOf(b, high, inThree);
  Parts words{};
  for (size_t part = 0; part < words.size(); ++part) {
    if (!lows[part])
      continue;
    Value pair = LLVM::UndefOp::create(b, VectorType::get(2, b.getBF16Type()));
    pair = LLVM::InsertElementOp::create(b, pair, lows[part], number(b, 0));
    pair = LLVM::InsertElementOp::create(b, pair, highs[part], number(b, 1));
    words[part] = LLVM::BitcastOp::create(b, b.getI32Type(), pair);
  }
  return words;
}

}   // namespace tile::gpu
