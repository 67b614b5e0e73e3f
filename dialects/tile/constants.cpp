// SPDX-License-Identifier: MIT
#include "dialects/tile/constants.h"

#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tile::ir {

Attribute getConstant(Value value) {
  Attribute constant;
  if (value && matchPattern(value, m_Constant(&constant)))
    return constant;
  return {};
}

std::optional<APInt> getSplatInt(Attribute constant) {
  if (auto scalar = dyn_cast_or_null<IntegerAttr>(constant))
    return scalar.getValue();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (dense && dense.isSplat() && dense.getElementType().isInteger())
    return dense.getSplatValue<APInt>();
  return std::nullopt;
}

std::optional<APFloat> getSplatFloat(Attribute constant) {
  if (auto scalar = dyn_cast_or_null<FloatAttr>(constant))
    return scalar.getValue();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (dense && dense.isSplat() && isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>();
  return std::nullopt;
}

bool isAllTrue(Value mask) {
  std::optional<APInt> element = getSplatInt(getConstant(mask));
  return element && element->isOne();
}

bool isAllFalse(Value mask) {
  std::optional<APInt> element = getSplatInt(getConstant(mask));
  return element && element->isZero();
}

bool isAllZeroBits(Value value) {
  Attribute constant = getConstant(value);
  if (std::optional<APInt> element = getSplatInt(constant))
    return element->isZero();
  std::optional<APFloat> element = getSplatFloat(constant);
  return element && element->isPosZero();
}

Attribute resplat(Attribute constant, Type type) {
  if (std::optional<APInt> element = getSplatInt(constant))
    return makeConstant(type, ArrayRef<APInt>(*element));
  if (std::optional<APFloat> element = getSplatFloat(constant))
    return makeConstant(type, ArrayRef<APFloat>(*element));
  return {};
}

bool allOfInts(Attribute constant, llvm::function_ref<bool(const APInt &)> test) {
  if (std::optional<APInt> element = getSplatInt(constant))
    return test(*element);
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  return dense && dense.getElementType().isInteger() && llvm::all_of(dense.getValues<APInt>(), test);
}

Value createZero(OpBuilder &builder, Location location, Type type) {
  Type element = getElementType(type);
  if (isa<PtrType>(element)) {
    Value zero = createZero(builder, location, withElement(type, builder.getI64Type()));
    return IntToPtrOp::create(builder, location, type, zero);
  }
  return arith::ConstantOp::create(builder, location, cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value createInt(OpBuilder &builder, Location location, Type type, const APInt &value) {
  return arith::ConstantOp::create(builder, location, cast<TypedAttr>(makeConstant(type, value)));
}

Attribute makeConstant(Type type, ArrayRef<APInt> elements) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tile, elements);
  return IntegerAttr::get(type, elements.front());
}

Attribute makeConstant(Type type, ArrayRef<APFloat> elements) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tile, elements);
  return FloatAttr::get(type, elements.front());
}

}   // namespace tile::ir
