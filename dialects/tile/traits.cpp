// SPDX-License-Identifier: MIT
#include "dialects/tile/traits.h"

#include "dialects/tile/dialect.h"

using namespace mlir;

namespace tile::ir {

std::string complaintAboutExtents(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (!isLegalExtent(extent))
      return "extent " + std::to_string(extent) +
             " is not r * 2^k with an odd r <= " + std::to_string(MaxOddFactor);
    // No overflow: the product so far is at most MaxTileElements.
    if (extent > MaxTileElements || (elements *= extent) > MaxTileElements)
      return "a tile has at most " + std::to_string(MaxTileElements) + " elements";
  }
  return "";
}

bool isElementwise(Operation *op) { return op->hasTrait<OpTrait::Elementwise>() || isa<AssumeOp>(op); }

Type getElementType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType();
  return type;
}

ArrayRef<int64_t> getShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

Type getTileType(ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Type withElement(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return tensor.clone(element);
  return element;
}

// Null for a type that is no pointer, so that the caller's comparison of types fails with a
// message instead of the program with an assertion.
Type getPointeeType(Type pointers) {
  auto ptr = dyn_cast<PtrType>(getElementType(pointers));
  return ptr ? withElement(pointers, ptr.getPointee()) : Type();
}

int64_t pointeeBytes(Type pointers) {
  Type pointee = getElementType(getPointeeType(pointers));
  return pointee.isIntOrFloat() ? std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8) : 8;
}

Type getConditionType(Type like) { return withElement(like, IntegerType::get(like.getContext(), 1)); }

LogicalResult verifyLegalTiles(Operation *op) {
  auto check = [&](Type type, StringRef what, unsigned number) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    if (!tensor.hasStaticShape())
      return op->emitOpError() << what << " #" << number << " has type " << type
                               << ": a tile has static extents";
    if (tensor.getRank() == 0)
      return op->emitOpError() << what << " #" << number << " has type " << type << ": a scalar is a plain "
                               << tensor.getElementType();
    std::string complaint = complaintAboutExtents(tensor.getShape());
    if (!complaint.empty())
      return op->emitOpError() << what << " #" << number << " has type " << type << ": " << complaint;
    return success();
  };
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand", index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result", index)))
      return failure();
  return success();
}

LogicalResult verifySameShape(Operation *op) {
  Type first;
  auto differs = [&](Type type) {
    if (!first)
      first = type;
    return isa<RankedTensorType>(first) != isa<RankedTensorType>(type) || getShape(first) != getShape(type);
  };
  // The seed of `tile.philox` is a scalar beside tiles: scalar i64 operands named so are checked by
  // their own constraint.
  for (Type type : op->getOperandTypes())
    if (!(isa<PhiloxOp>(op) && type.isInteger(64)) && differs(type))
      return op->emitOpError() << "operands and results must have the same shape, not " << first << " and "
                               << type;
  for (Type type : op->getResultTypes())
    if (differs(type))
      return op->emitOpError() << "operands and results must have the same shape, not " << first << " and "
                               << type;
  return success();
}

}   // namespace tile::ir
