// SPDX-License-Identifier: MIT
// What makes and runs the code of a GPU, for the devices that compile for one.
#pragma once

#include "compiler/target/target.h"
#include "runtime/cuda/capability.h"

#include <string>

namespace tile {

// The best target for a GPU. Throws tile::Error with its description if it is too old.
Target cuda_target(const cuda::Capability &gpu, const std::string &description);
// Compiler, assembler and driver.
std::string cuda_toolchain();

}   // namespace tile
