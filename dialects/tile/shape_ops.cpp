// SPDX-License-Identifier: MIT
// Rules of the ops that make tiles and move their elements about: which shapes go together.
#include "dialects/tile/dialect.h"

using namespace mlir;
using namespace tile::ir;

static LogicalResult verifySameElement(Operation *op, Type from, Type to) {
  if (getElementType(from) == getElementType(to))
    return success();
  return op->emitOpError() << "moves elements and does not convert them: " << getElementType(from)
                           << " becomes " << getElementType(to);
}

// `rule` tells how the expected shape follows from the operands.
static LogicalResult verifyResultShape(Operation *op, Type result, ArrayRef<int64_t> expected,
                                       StringRef rule) {
  if (isa<RankedTensorType>(result) == !expected.empty() && getShape(result) == expected)
    return success();
  return op->emitOpError() << rule << ": expected " << getTileType(expected, getElementType(result))
                           << ", not " << result;
}

LogicalResult ArangeOp::verify() {
  int64_t start = getStartAttr().getInt(), end = getEndAttr().getInt();
  if (end <= start)
    return emitOpError() << "counts from " << start << " up to, not including, " << end
                         << ": the end must be greater than the start";
  return verifyResultShape(*this, getType(), {end - start},
                           "the result has one axis of end - start elements");
}

LogicalResult SplatOp::verify() { return verifySameElement(*this, getValue().getType(), getType()); }

LogicalResult BroadcastOp::verify() {
  if (failed(verifySameElement(*this, getValue().getType(), getType())))
    return failure();
  ArrayRef<int64_t> from = getValue().getType().getShape(), to = getType().getShape();
  if (from.size() != to.size())
    return emitOpError() << "keeps the rank, which would change from " << from.size() << " to " << to.size()
                         << ": insert axes with tile.expand_dims first";
  for (auto [axis, extents] : llvm::enumerate(llvm::zip_equal(from, to)))
    if (auto [have, want] = extents; have != want && have != 1)
      return emitOpError() << "stretches extents of 1 only: axis " << axis << " would grow from " << have
                           << " to " << want;
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  if (failed(verifySameElement(*this, getValue().getType(), getType())))
    return failure();
  ArrayRef<int64_t> from = getValue().getType().getShape();
  int64_t axis = getAxisAttr().getInt(), rank = static_cast<int64_t>(from.size());
  if (axis < 0 || axis > rank)
    return emitOpError() << "axis " << axis << " is not in 0 .. " << rank << " for an operand of rank "
                         << rank;
  SmallVector<int64_t> expected(from);
  expected.insert(expected.begin() + axis, 1);
  return verifyResultShape(*this, getType(), expected, "the result has one more axis of extent 1");
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getValue().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "keeps every element: " << from << " has " << from.getNumElements() << ", " << to
                         << " has " << to.getNumElements();
  return success();
}

LogicalResult PermuteOp::verify() {
  if (failed(verifySameElement(*this, getValue().getType(), getType())))
    return failure();
  ArrayRef<int64_t> from = getValue().getType().getShape();
  if (getOrder().size() != from.size())
    return emitOpError() << "orders " << getOrder().size() << " axes of an operand of rank " << from.size();
  SmallVector<bool> isUsed(from.size());
  SmallVector<int64_t> expected;
  for (int32_t axis : getOrder()) {
    if (axis < 0 || axis >= static_cast<int64_t>(from.size()))
      return emitOpError() << "axis " << axis << " is not in 0 .. " << from.size() - 1
                           << " for an operand of rank " << from.size();
    if (isUsed[axis])
      return emitOpError() << "axis " << axis << " occurs twice in the order";
    isUsed[axis] = true;
    expected.push_back(from[axis]);
  }
  return verifyResultShape(*this, getType(), expected,
                           "axis i of the result is axis order[i] of the operand");
}

LogicalResult JoinOp::verify() {
  if (failed(verifySameElement(*this, getLhs().getType(), getType())))
    return failure();
  SmallVector<int64_t> expected(getShape(getLhs().getType()));
  expected.push_back(2);
  return verifyResultShape(*this, getType(), expected, "the result has a new last axis of extent 2");
}

LogicalResult SplitOp::verify() {
  if (failed(verifySameElement(*this, getValue().getType(), getLhs().getType())))
    return failure();
  ArrayRef<int64_t> from = getValue().getType().getShape();
  if (from.empty() || from.back() != 2)
    return emitOpError() << "needs a last axis of extent 2, but " << getValue().getType() << " has none";
  return verifyResultShape(*this, getLhs().getType(), from.drop_back(), "the results lack the last axis");
}

LogicalResult GatherOp::verify() {
  if (failed(verifySameElement(*this, getSource().getType(), getType())))
    return failure();
  ArrayRef<int64_t> source = getSource().getType().getShape(), index = getIndex().getType().getShape();
  if (source.size() != index.size())
    return emitOpError() << "source and index must have the same rank, not " << source.size() << " and "
                         << index.size();
  int64_t chosen = getAxisAttr().getInt(), rank = static_cast<int64_t>(source.size());
  if (chosen < 0 || chosen >= rank)
    return emitOpError() << "axis " << chosen << " is not in 0 .. " << rank - 1 << " for tiles of rank "
                         << rank;
  for (int64_t axis = 0; axis != rank; ++axis)
    if (axis != chosen && source[axis] != index[axis])
      return emitOpError() << "source and index must have the same extents except along axis " << chosen
                           << "; axis " << axis << " has extents " << source[axis] << " and " << index[axis];
  return verifyResultShape(*this, getType(), index, "the result has the index's shape");
}
