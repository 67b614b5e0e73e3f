// SPDX-License-Identifier: MIT
// The developer's tool: reads IR as text or bytecode, runs passes on it, prints it. Every dialect
// and pass of the project is registered here, so that each can be tested alone and a reproducer of
// any failure can be run again.
#include "compiler/lowering/passes.h"
#include "compiler/pipeline.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<tile::ir::TileDialect, tile::gpu::TileGpuDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
              mlir::math::MathDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect>();

  tile::ir::registerTilePasses();
  tile::gpu::registerTileGpuPasses();
  tile::registerPipelines();
  // Of MLIR's own passes those that make sense between ours.
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerSCCPPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
  mlir::registerPrintOpStatsPass();

  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tile optimizer driver\n", registry));
}
