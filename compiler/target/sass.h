// SPDX-License-Identifier: MIT
// Machine code for people, by NVIDIA's own programs.
#pragma once

#include "compiler/target/target.h"

#include <string>

namespace tile {

// Assembles and disassembles. Throws tile::Error where ptxas or nvdisasm is not found or refuses.
std::string machineCode(const std::string &ptx, const Target &target);

}   // namespace tile
