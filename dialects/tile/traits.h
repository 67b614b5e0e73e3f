// SPDX-License-Identifier: MIT
// What holds for the tiles of every op, and the small questions about types that ops share.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include <string>

namespace tile::ir {

constexpr int64_t MaxTileElements = int64_t(1) << 20;
constexpr int64_t MaxOddFactor = 31;

/// True for r * 2^k with an odd r <= 31: the extents a tile may have.
constexpr bool isLegalExtent(int64_t extent) {
  if (extent <= 0)
    return false;
  while (extent % 2 == 0)
    extent /= 2;
  return extent <= MaxOddFactor;
}

/// What keeps extents from being a tile's: "extent 37 is not ..."; nothing where they are.
std::string complaintAboutExtents(llvm::ArrayRef<int64_t> shape);

/// Whether an op computes each element of its results from the same element of its operands.
bool isElementwise(mlir::Operation *op);

/// Whether an op does nothing but promise. It counts as a write, so that nothing removes it.
bool isPromise(mlir::Operation *op);

/// The element of a tile; a scalar's own type.
mlir::Type getElementType(mlir::Type type);
/// The extents of a tile; none for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);
/// A tile of `shape`, or `element` itself where the shape is empty.
mlir::Type getTileType(llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// A type of the shape of `like` with another element.
mlir::Type withElement(mlir::Type like, mlir::Type element);
/// What a pointer or each pointer of a tile points to.
mlir::Type getPointeeType(mlir::Type pointers);
// Bytes from one element that is pointed at to the next.
int64_t pointeeBytes(mlir::Type pointers);
/// The type of a mask for pointers (or anything else) of this type.
mlir::Type getConditionType(mlir::Type like);

mlir::LogicalResult verifyLegalTiles(mlir::Operation *op);
mlir::LogicalResult verifySameShape(mlir::Operation *op);

template <class ConcreteType>
class LegalTiles : public mlir::OpTrait::TraitBase<ConcreteType, LegalTiles> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyLegalTiles(op); }
};

template <class ConcreteType>
class SameShape : public mlir::OpTrait::TraitBase<ConcreteType, SameShape> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameShape(op); }
};

}   // namespace tile::ir
