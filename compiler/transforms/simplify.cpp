// SPDX-License-Identifier: MIT
#include "compiler/transforms/simplify.h"

#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tile::ir {
#define GEN_PASS_DEF_TILESIMPLIFY
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

using namespace mlir;

namespace {

// Each round lets the others see what one has found: a common subexpression makes a difference 0, a
// range makes a mask true. Two rounds are usual; the limit is there for what nobody has thought of.
constexpr int MostRounds = 16;

struct Simplify : tile::ir::impl::TileSimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    tile::ir::populateSinkBroadcastPatterns(set);
    tile::ir::populateFuseOpsPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool changed = true;
    for (int round = 0; changed && round != MostRounds; ++round)
      if (failed(runRound(function, changed)))
        return signalPassFailure();
  }

  LogicalResult runRound(func::FuncOp function, bool &changed) {
    changed = false;
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    if (failed(applyPatternsGreedily(function, patterns, config, &changed)))
      return function.emitError("tile-simplify: the rewrite patterns do not come to an end");
    if (failed(tile::ir::applyIntegerRanges(function, changed)))
      return failure();
    bool merged = false;
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function, &merged);
    changed |= merged;
    return success();
  }

  FrozenRewritePatternSet patterns;
};

}   // namespace
