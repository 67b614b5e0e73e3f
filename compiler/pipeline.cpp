// SPDX-License-Identifier: MIT
#include "compiler/pipeline.h"

#include "compiler/transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace tile {

void buildTilePipeline(mlir::OpPassManager &passes) {
  passes.addNestedPass<mlir::func::FuncOp>(ir::createTileSimplify());
}

void registerPipelines() {
  mlir::PassPipelineRegistration<> pipeline(
      "tile-pipeline", "The passes on the tile dialect, in the compiler's order", buildTilePipeline);
}

}   // namespace tile
