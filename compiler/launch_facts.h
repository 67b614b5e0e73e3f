// SPDX-License-Identifier: MIT
// What a module in the LLVM and NVVM dialects says of the launch of its kernel. Passes leave word as
// attributes; they are read here and nowhere else.
#pragma once

#include "runtime/lowered_kernel.h"
#include "runtime/stamps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"

namespace tile {

// The innermost place in the user's source.
Location placeOf(mlir::Location loc);

// Symbol, threads, cluster, shared memory, checks, formats. Throws tile::Error for what no GPU launches.
LoweredKernel launchFacts(mlir::ModuleOp module);
// Which stamps of the clock the code writes, and how: all but the kernel. Throws tile::Error where it has
// none.
StampedKernel stampFacts(mlir::ModuleOp module);
// What a launch gives to the function that it takes first, with types as far as the LLVM dialect knows them.
std::vector<LaunchArgument> launchArguments(mlir::ModuleOp module);
// What the function takes behind the launch's own arguments, of which the signature knows already: a pointer
// for each tensor map of the module's `tile_gpu.tensor_maps`, and three extents of the grid where it has
// `tile_gpu.persistent`. docs/design.md has the form. Throws tile::Error for what fits neither the function
// nor any launch.
void takeLaunchParameters(mlir::ModuleOp module, KernelSignature &kernel);

}   // namespace tile
