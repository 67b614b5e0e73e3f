// SPDX-License-Identifier: MIT
#include "compiler/pipeline.h"

#include "compiler/lowering/passes.h"
#include "compiler/target/target.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile_gpu/dialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace tile {

using mlir::func::FuncOp;

void buildTilePipeline(mlir::OpPassManager &passes) {
  passes.addNestedPass<FuncOp>(ir::createTileSimplify());
}

static void buildLayoutPipelineFor(mlir::OpPassManager &passes, const std::string &target,
                                   bool remarks = false) {
  passes.addNestedPass<FuncOp>(ir::createTileGpuPlan({target, remarks}));
  passes.addNestedPass<FuncOp>(ir::createTileGpuPartitionOverCtas());
  passes.addNestedPass<FuncOp>(ir::createTileGpuLoopOverPrograms());
  passes.addNestedPass<FuncOp>(ir::createTileGpuSpecializeWarps({target, remarks}));
  passes.addNestedPass<FuncOp>(ir::createTileDescriptorsToPointers());
  passes.addNestedPass<FuncOp>(ir::createTileGpuPartitionAxisOverCtas());
  passes.addNestedPass<FuncOp>(ir::createTileWidenProducts({target}));
  passes.addNestedPass<FuncOp>(
      ir::createTileSimplify());   // what the pointers are made of, in canonical form
  passes.addNestedPass<FuncOp>(ir::createTileAssignLayouts({target, remarks}));
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addNestedPass<FuncOp>(ir::createTileGpuHoistConversions());
  passes.addPass(mlir::createCSEPass());   // behind: two loops may want the same
  passes.addNestedPass<FuncOp>(ir::createTileGpuReduceAfterLoops());
  passes.addNestedPass<FuncOp>(ir::createTileGpuLoadAhead());
  passes.addNestedPass<FuncOp>(ir::createTileGpuShareOperands());
  passes.addNestedPass<FuncOp>(ir::createTileGpuPipelineLoops());
  passes.addNestedPass<FuncOp>(ir::createTileGpuOverlapProducts());
  passes.addNestedPass<FuncOp>(ir::createTileGpuAwaitProductsLate());
  passes.addNestedPass<FuncOp>(ir::createTileUnrollLoops());   // behind: its copies share channels
  passes.addPass(mlir::createCanonicalizerPass());
}

void buildLayoutPipeline(mlir::OpPassManager &passes, const Target &target, bool remarks) {
  buildLayoutPipelineFor(passes, target.name(), remarks);
}

// A loop carries each register of a tile as a value of its own, several hundred of them. MLIR asks of every
// two of them whether they are always the same, and again whenever one of the loop's operands has changed: an
// eighth of the time that a matrix product takes to compile. LLVM merges equal values of a loop as well, by
// hashing them.
static std::unique_ptr<mlir::Pass> createThreadCanonicalizer() {
  mlir::GreedyRewriteConfig config;
  return mlir::createCanonicalizerPass(config, {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"});
}

static void simplifyThread(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  passes.addPass(createThreadCanonicalizer());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuSinkReads());
}

void buildThreadPipeline(mlir::OpPassManager &passes) {
  passes.addNestedPass<FuncOp>(gpu::createTileGpuDistribute());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuCarryWords());
  simplifyThread(passes);
}

void buildSimulatedThreadPipeline(mlir::OpPassManager &passes, const SimulatedThread &simulated) {
  passes.addNestedPass<FuncOp>(gpu::createTileGpuDistribute());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuCarryWords());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuCheckFacts({simulated.checksFacts}));
  if (simulated.ringFloats)
    passes.addPass(gpu::createTileGpuFloatsToRing());
  simplifyThread(passes);
}

void buildLLVMPipeline(mlir::OpPassManager &passes) {
  passes.addNestedPass<FuncOp>(gpu::createTileGpuPairCasts());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuShortForms());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuChooseBarriers());
  passes.addNestedPass<FuncOp>(gpu::createTileGpuStartEarly());   // behind: a wait orders no shared memory
  passes.addPass(gpu::createTileGpuToLLVM());
  passes.addNestedPass<mlir::LLVM::LLVMFuncOp>(gpu::createTileGpuCastBytes());
}

void buildPtxPipeline(mlir::OpPassManager &passes, bool sourceLines, bool stamps) {
  if (stamps)
    passes.addPass(gpu::createTileGpuStampClock());
  passes.addPass(gpu::createTileGpuToPtx());
  if (sourceLines)
    passes.addPass(gpu::createTileGpuSourceLines());
}

void buildSimulatorPipeline(mlir::OpPassManager &passes, bool checksOffsets, bool marksPlaces) {
  passes.addPass(gpu::createTileGpuToSimulator({checksOffsets, marksPlaces}));
}

void loadLoweringDialects(mlir::MLIRContext &context) {
  context.loadDialect<gpu::TileGpuDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                      mlir::cf::ControlFlowDialect>();
}

namespace {
// A name that is of no target is the pass's to complain about, at the kernel.
struct LayoutPipelineOptions : mlir::PassPipelineOptions<LayoutPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the GPU, as in sm_90a"),
                             llvm::cl::init(std::string(default_target))};
};
}   // namespace

void registerPipelines() {
  mlir::PassPipelineRegistration<> onTiles(
      "tile-pipeline", "The passes on the tile dialect, in the compiler's order", buildTilePipeline);
  mlir::PassPipelineRegistration<LayoutPipelineOptions> layouts(
      "tile-layout-pipeline", "From the canonical tile form to tiles with layouts",
      [](mlir::OpPassManager &passes, const LayoutPipelineOptions &options) {
        buildLayoutPipelineFor(passes, options.target);
      });
  mlir::PassPipelineRegistration<> threads(
      "tile-thread-pipeline", "From tiles with layouts to what one thread does", buildThreadPipeline);
  mlir::PassPipelineRegistration<> llvm("tile-llvm-pipeline", "From there to the LLVM and NVVM dialects",
                                        buildLLVMPipeline);
}

}   // namespace tile
