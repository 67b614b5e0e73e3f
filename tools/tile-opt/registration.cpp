// SPDX-License-Identifier: MIT
#include "tools/tile-opt/registration.h"

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
#include "mlir/Transforms/Passes.h"

namespace tile {

void register_dialects(mlir::DialectRegistry &registry) {
  registry
      .insert<ir::TileDialect, gpu::TileGpuDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
              mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
              mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect>();
}

void register_passes() {
  ir::registerTilePasses();
  gpu::registerTileGpuPasses();
  registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerSCCPPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
  mlir::registerPrintOpStatsPass();
}

}   // namespace tile
