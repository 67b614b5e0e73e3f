// SPDX-License-Identifier: MIT
// Every dialect and pass of the project, and of MLIR's own passes those that make sense between ours: what
// text names and `tile-opt` knows.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tile {

void register_dialects(mlir::DialectRegistry &registry);
void register_passes();   // once in a process

}   // namespace tile
