// SPDX-License-Identifier: MIT
// Folds and canonical forms of pointers and accesses: masks that are known, offsets that add up.
#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tile::ir;

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  std::optional<llvm::APInt> offset = getSplatInt(adaptor.getOffset());
  return offset && offset->isZero() ? getPtr() : OpFoldResult();
}

// (p + 3) + 5 -> p + 8. Offsets are extended before they are added, so the sum may need 64 bits
// where neither part does.
LogicalResult AddPtrOp::canonicalize(AddPtrOp op, PatternRewriter &rewriter) {
  auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
  if (!inner)
    return failure();
  auto extended = [](AddPtrOp each) -> std::optional<llvm::APInt> {
    std::optional<llvm::APInt> offset = getSplatInt(getConstant(each.getOffset()));
    if (offset)
      offset = each.getUnsignedOffset() ? offset->zext(64) : offset->sext(64);
    return offset;
  };
  std::optional<llvm::APInt> first = extended(inner), second = extended(op);
  if (!first || !second)
    return failure();
  llvm::APInt sum = *first + *second;
  unsigned width = sum.isSignedIntN(32) ? 32 : 64;
  Type type = withElement(op.getOffset().getType(), rewriter.getIntegerType(width));
  Value offset = createInt(rewriter, op.getLoc(), type, sum.trunc(width));
  rewriter.replaceOpWithNewOp<AddPtrOp>(op, inner.getPtr(), offset, /*unsigned_offset=*/false);
  return success();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inverse = getPtr().getDefiningOp<IntToPtrOp>();
  return inverse ? inverse.getValue() : Value();
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inverse = getValue().getDefiningOp<PtrToIntOp>();
  // The pointee may differ: then the pair is a cast of the pointer and stays.
  return inverse && inverse.getPtr().getType() == getType() ? inverse.getPtr() : Value();
}

// A matrix is stored as it is, and not as a stack of one matrix.
LogicalResult DescriptorStoreOp::canonicalize(DescriptorStoreOp op, PatternRewriter &rewriter) {
  auto expand = op.getValue().getDefiningOp<ExpandDimsOp>();
  if (!expand || expand.getAxis() != 0 || !isa<RankedTensorType>(expand.getValue().getType()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getValueMutable().assign(expand.getValue()); });
  return success();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (isAllTrue(op.getMask())) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.getOtherMutable().clear();
    });
    return success();
  }
  if (isAllFalse(op.getMask())) {
    Value other = op.getOther() ? op.getOther() : createZero(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, other);
    return success();
  }
  if (!op.getOther() || !isAllZeroBits(op.getOther()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOtherMutable().clear(); });
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (isAllFalse(op.getMask())) {
    rewriter.eraseOp(op);
    return success();
  }
  if (!isAllTrue(op.getMask()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

// All lanes masked off is no reason to erase it: its ordering may still be wanted.
LogicalResult AtomicRmwOp::canonicalize(AtomicRmwOp op, PatternRewriter &rewriter) {
  if (!op.getMask() || !isAllTrue(op.getMask()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}
