// SPDX-License-Identifier: MIT
// Folds and canonical forms of the shape ops. A tile of equal elements stays a splat whatever happens
// to its shape, and of two ops in a row of one kind one is left.
#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tile::ir;

// reshape (splat x) -> splat x, and likewise for each op that only moves elements.
static LogicalResult moveSplat(Operation *op, Value from, PatternRewriter &rewriter) {
  auto splat = from.getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResultTypes().front(), splat.getValue());
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) { return resplat(adaptor.getValue(), getType()); }

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  return resplat(adaptor.getValue(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getValue().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getValue());
    return success();
  }
  return moveSplat(op, op.getValue(), rewriter);
}

// The elements of a constant do not move in memory when only the shape changes.
static OpFoldResult reshapeConstant(Attribute constant, RankedTensorType type) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    return dense.reshape(type);
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeConstant(adaptor.getValue(), getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  return moveSplat(op, op.getValue(), rewriter);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  return reshapeConstant(adaptor.getValue(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getValue().getDefiningOp<ReshapeOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getValue(),
                                           op.getAnyOrder() || inner.getAnyOrder());
    return success();
  }
  if (auto inner = op.getValue().getDefiningOp<ExpandDimsOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getValue(), op.getAnyOrder());
    return success();
  }
  return moveSplat(op, op.getValue(), rewriter);
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool isIdentity = llvm::all_of(llvm::enumerate(getOrder()), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
  if (isIdentity)
    return getValue();
  return resplat(adaptor.getValue(), getType());
}

LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  auto inner = op.getValue().getDefiningOp<PermuteOp>();
  if (!inner)
    return moveSplat(op, op.getValue(), rewriter);
  SmallVector<int32_t> order;
  for (int32_t axis : op.getOrder())
    order.push_back(inner.getOrder()[axis]);
  rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getValue(), order);
  return success();
}

// join (split x) -> x
OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getLhs() && getRhs() == split.getRhs())
    return split.getValue();
  Attribute lhs = adaptor.getLhs();
  return lhs && lhs == adaptor.getRhs() ? resplat(lhs, getType()) : Attribute();
}

// split (join a, b) -> a, b
LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getValue().getDefiningOp<JoinOp>()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  Attribute half = resplat(adaptor.getValue(), getLhs().getType());
  if (!half)
    return failure();
  results.assign({half, half});
  return success();
}

// Whichever element is chosen, it is the same one. (An index outside the axis gives any value.)
OpFoldResult GatherOp::fold(FoldAdaptor adaptor) { return resplat(adaptor.getSource(), getType()); }

LogicalResult GatherOp::canonicalize(GatherOp op, PatternRewriter &rewriter) {
  return moveSplat(op, op.getSource(), rewriter);
}
