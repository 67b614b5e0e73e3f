// SPDX-License-Identifier: MIT
// A module that was written by hand in the LLVM and NVVM dialects and the ops of tile_gpu that stand for PTX:
// what can be run of Hopper before the compiler emits it. It enters the pipeline where the common passes of
// traced kernels end, and from there goes to the simulator or to PTX as they do.
#pragma once

#include <string>

namespace tile {

// The module has one kernel. How that is launched, its attributes nvvm.reqntid (of one dimension) and
// nvvm.cluster_dim and the module's tile_gpu.shared_bytes say. All arguments are taken in their order.
struct HandWritten {
  std::string text;
};

}   // namespace tile
