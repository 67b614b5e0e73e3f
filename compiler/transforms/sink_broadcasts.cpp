// SPDX-License-Identifier: MIT
// Repeats elements as late as possible. Each operand of an elementwise op is looked through to the
// smaller value it repeats; where all operands leave an axis at extent 1, the op does too:
//
//    broadcast (128x1 -> 128x64) + splat        ->  broadcast (128x1 + splat)
//    broadcast (128x1 -> 128x64) + broadcast (1x64 -> 128x64)      stays: together they fill both axes
//
// The op runs once as before, on fewer elements, so no work is ever done twice.
#include "compiler/transforms/simplify.h"

#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile::ir;

namespace {

// The scalar that fills the whole tile, be it constant or not.
bool isFilled(Value value) {
  Attribute constant = getConstant(value);
  return value.getDefiningOp<SplatOp>() || (constant && isa<SplatElementsAttr>(constant));
}

// `value` filled with the same scalar in another shape; a scalar for an empty one.
Value refill(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  Type type = getTileType(shape, getElementType(value.getType()));
  if (auto splat = value.getDefiningOp<SplatOp>())
    return shape.empty() ? splat.getValue()
                         : SplatOp::create(builder, splat.getLoc(), type, splat.getValue());
  Attribute constant = resplat(getConstant(value), type);
  return arith::ConstantOp::create(builder, value.getLoc(), cast<TypedAttr>(constant));
}

bool worksByElement(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() != 0 && op->getNumResults() != 0 &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

// The op on other operands, with results of another shape.
Operation *cloneInShape(PatternRewriter &rewriter, Operation *op, IRMapping &operands,
                        ArrayRef<int64_t> shape) {
  Operation *clone = op->clone(operands);
  for (Value result : clone->getResults())
    result.setType(getTileType(shape, getElementType(result.getType())));
  return rewriter.insert(clone);
}

struct SinkBelowElementwise : RewritePattern {
  explicit SinkBelowElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!worksByElement(op))
      return failure();
    SmallVector<Value> tiles;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        tiles.push_back(operand);
    bool isRepeated = llvm::any_of(tiles, [](Value tile) {
      Operation *source = tile.getDefiningOp();
      return isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp>(source);
    });
    if (!isRepeated)   // constants alone are the folders' business
      return failure();
    if (llvm::all_of(tiles, isFilled))
      return sinkSplats(op, tiles, rewriter);
    if (succeeded(sinkBroadcasts(op, tiles, rewriter)))
      return success();
    return sinkExpandDims(op, tiles, rewriter);
  }

 private:
  static LogicalResult sinkSplats(Operation *op, ArrayRef<Value> tiles, PatternRewriter &rewriter) {
    IRMapping operands;
    for (Value tile : tiles)
      operands.map(tile, refill(rewriter, tile, {}));
    Operation *small = cloneInShape(rewriter, op, operands, {});
    SmallVector<Value> results;
    for (auto [result, scalar] : llvm::zip_equal(op->getResults(), small->getResults()))
      results.push_back(SplatOp::create(rewriter, op->getLoc(), result.getType(), scalar));
    rewriter.replaceOp(op, results);
    return success();
  }

  static LogicalResult sinkBroadcasts(Operation *op, ArrayRef<Value> tiles, PatternRewriter &rewriter) {
    // Along each axis the op needs the largest extent that some operand really has.
    SmallVector<int64_t> shape(getShape(tiles.front().getType()).size(), 1);
    for (Value tile : tiles) {
      if (isFilled(tile))
        continue;
      auto broadcast = tile.getDefiningOp<BroadcastOp>();
      for (auto [extent, own] :
           llvm::zip_equal(shape, getShape((broadcast ? broadcast.getValue() : tile).getType())))
        extent = std::max(extent, own);
    }
    if (ArrayRef(shape) == getShape(tiles.front().getType()))
      return failure();
    IRMapping operands;
    for (Value tile : tiles) {
      if (isFilled(tile)) {
        operands.map(tile, refill(rewriter, tile, shape));
        continue;
      }
      auto broadcast = tile.getDefiningOp<BroadcastOp>();   // else the shape would be the tile's own
      Value source = broadcast.getValue();
      auto type = cast<RankedTensorType>(getTileType(shape, getElementType(source.getType())));
      if (source.getType() != type)
        source = BroadcastOp::create(rewriter, broadcast.getLoc(), type, source);
      operands.map(tile, source);
    }
    Operation *small = cloneInShape(rewriter, op, operands, shape);
    SmallVector<Value> results;
    for (auto [result, source] : llvm::zip_equal(op->getResults(), small->getResults()))
      results.push_back(BroadcastOp::create(rewriter, op->getLoc(), result.getType(), source));
    rewriter.replaceOp(op, results);
    return success();
  }

  // As many elements as before, but the axis of extent 1 now meets the broadcast that stretches it.
  static LogicalResult sinkExpandDims(Operation *op, ArrayRef<Value> tiles, PatternRewriter &rewriter) {
    ExpandDimsOp first;
    for (Value tile : tiles) {
      if (isFilled(tile))
        continue;
      auto expand = tile.getDefiningOp<ExpandDimsOp>();
      if (!expand || (first && expand.getAxis() != first.getAxis()))
        return failure();
      first = first ? first : expand;
    }
    ArrayRef<int64_t> shape = first.getValue().getType().getShape();
    IRMapping operands;
    for (Value tile : tiles)
      operands.map(tile, isFilled(tile) ? refill(rewriter, tile, shape)
                                        : tile.getDefiningOp<ExpandDimsOp>().getValue());
    Operation *small = cloneInShape(rewriter, op, operands, shape);
    SmallVector<Value> results;
    for (auto [result, source] : llvm::zip_equal(op->getResults(), small->getResults()))
      results.push_back(
          ExpandDimsOp::create(rewriter, op->getLoc(), result.getType(), source, first.getAxis()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

}   // namespace

void tile::ir::populateSinkBroadcastPatterns(RewritePatternSet &patterns) {
  patterns.add<SinkBelowElementwise>(patterns.getContext());
}
