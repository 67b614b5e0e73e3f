// SPDX-License-Identifier: MIT
// Ops that another op can do on its way: the accumulator of a product adds, a masked load chooses.
#include "compiler/transforms/simplify.h"

#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tile::ir;

namespace {

bool isZero(Value value) {
  std::optional<llvm::APFloat> element = getSplatFloat(getConstant(value));
  return isAllZeroBits(value) || (element && element->isZero());
}

bool allowsFusion(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return !function || fusesProducts(function);
}

// dot(a, b, 0) + c -> dot(a, b, c). The product is used nowhere else, or it would be computed twice, is in
// the sum's block, or it could move into a loop, and reads no shared memory, which may be another tile's when
// it is added.
template <class AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    if (std::is_same_v<AddOp, arith::AddFOp> && !allowsFusion(add))
      return failure();
    for (auto [product, sum] :
         {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      auto isView = [](Value tile) {
        return cast<RankedTensorType>(tile.getType()).getEncoding() != nullptr;
      };
      if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock() || !isZero(dot.getAcc()) ||
          isView(dot.getA()) || isView(dot.getB()))
        continue;
      auto fused = cast<DotOp>(dot->clone());
      fused.getAccMutable().assign(sum);
      fused->setLoc(rewriter.getFusedLoc({dot.getLoc(), add.getLoc()}));
      rewriter.insert(fused);
      rewriter.replaceOp(add, fused.getResult());
      return success();
    }
    return failure();
  }
};

// select(mask, load(p, mask, _), y) -> load(p, mask, y), where y is there before the load.
struct ChooseInLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const override {
    auto load = select.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getMask() != select.getCondition())
      return failure();
    Value other = select.getFalseValue();
    if (Operation *source = other.getDefiningOp()) {
      bool isConstant = source->hasTrait<OpTrait::ConstantLike>();
      Operation *around = source->getBlock()->findAncestorOpInBlock(*load);
      if (!isConstant && (!around || !source->isBeforeInBlock(around)))
        return failure();
      if (isConstant) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(load);
        other = rewriter.clone(*source)->getResult(0);
      }
    } else if (!cast<BlockArgument>(other).getOwner()->findAncestorOpInBlock(*load)) {
      return failure();
    }
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(other); });
    rewriter.replaceOp(select, load.getResult());
    return success();
  }
};

}   // namespace

void tile::ir::populateFuseOpsPatterns(RewritePatternSet &patterns) {
  patterns.add<AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>, ChooseInLoad>(
      patterns.getContext());
}
