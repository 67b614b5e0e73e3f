// SPDX-License-Identifier: MIT
// What the simulator knows, for those who check that all of it is tested.
#pragma once

#include <string>
#include <vector>

namespace tile::gpu {

// The names of all operations that `tile-gpu-to-simulator` makes calls of, or looks into, and of the
// intrinsics of NVIDIA's that it knows: "nvvm.shfl.sync", "llvm.nvvm.ex2.approx". In order.
std::vector<std::string> simulatedOperations();

}   // namespace tile::gpu
