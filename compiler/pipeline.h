// SPDX-License-Identifier: MIT
// The order of the passes. Whoever compiles a kernel, a tool or the library, takes it from here.
#pragma once

#include "compiler/target/target.h"

namespace mlir {
class MLIRContext;
class OpPassManager;
}   // namespace mlir

namespace tile {

/// From what the front end has traced to the canonical `tile` form.
void buildTilePipeline(mlir::OpPassManager &passes);
/// From there to tiles with layouts.
void buildLayoutPipeline(mlir::OpPassManager &passes, const Target &target);
/// From tiles with layouts to what one thread does.
void buildThreadPipeline(mlir::OpPassManager &passes);
/// The same for the simulator where floats are elements of a ring (compiler/analysis/float_ring.h): from here
/// on no pass sees a number in a float.
void buildRingThreadPipeline(mlir::OpPassManager &passes);
/// From there to the LLVM and NVVM dialects.
void buildLLVMPipeline(mlir::OpPassManager &passes);
/// From there to what LLVM translates for a GPU; with the lines of the user's source, or without.
void buildPtxPipeline(mlir::OpPassManager &passes, bool sourceLines);
/// The same for the simulator.
void buildSimulatorPipeline(mlir::OpPassManager &passes);

/// The dialects that only the pipelines behind the first one make.
void loadLoweringDialects(mlir::MLIRContext &context);

/// Makes the pipelines known to `tile-opt --<name>`.
void registerPipelines();

}   // namespace tile
