// SPDX-License-Identifier: MIT
// The order of the passes. Whoever compiles a kernel, a tool or the library, takes it from here.
#pragma once

namespace mlir {
class OpPassManager;
}

namespace tile {

/// From what the front end has traced to the canonical `tile` form.
void buildTilePipeline(mlir::OpPassManager &passes);

/// Makes the pipelines known to `tile-opt --<name>`.
void registerPipelines();

}   // namespace tile
