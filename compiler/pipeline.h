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
/// From there to tiles with layouts. `remarks`: passes say what they chose, and why, at the user's lines.
void buildLayoutPipeline(mlir::OpPassManager &passes, const Target &target, bool remarks = false);
/// From tiles with layouts to what one thread does.
void buildThreadPipeline(mlir::OpPassManager &passes);
/// The same for the simulator.
struct SimulatedThread {
  bool ringFloats = false;   // are elements of a ring (compiler/analysis/float_ring.h): no pass sees a number
  bool checksFacts = false;   // what assume_divisible and assume_range promise
};
void buildSimulatedThreadPipeline(mlir::OpPassManager &passes, const SimulatedThread &simulated);
/// From there to the LLVM and NVVM dialects.
void buildLLVMPipeline(mlir::OpPassManager &passes);
/// From there to what LLVM translates for a GPU; with the lines of the user's source, or without. With
/// stamps, the code writes the clock around what a timeline shows.
void buildPtxPipeline(mlir::OpPassManager &passes, bool sourceLines, bool stamps = false);
/// The same for the simulator. With checked offsets, accesses know of arithmetic that overflowed on the way.
/// With marked places, it tells what its warps do, for recordings.
void buildSimulatorPipeline(mlir::OpPassManager &passes, bool checksOffsets = false,
                            bool marksPlaces = false);

/// The dialects that only the pipelines behind the first one make.
void loadLoweringDialects(mlir::MLIRContext &context);

/// Makes the pipelines known to `tile-opt --<name>`.
void registerPipelines();

}   // namespace tile
