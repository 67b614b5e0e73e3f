// SPDX-License-Identifier: MIT
// Machine code for people, by NVIDIA's own programs.
#pragma once

#include "compiler/target/target.h"

#include <string>

namespace tile {

// Assembles and disassembles. With `lines`, the user's lines that the PTX names stand before what they
// became. Throws tile::Error where ptxas or nvdisasm is not found or refuses.
std::string machineCode(const std::string &ptx, const Target &target, bool lines);

// What the assembler says of a kernel: its registers, spills and warnings. Throws likewise.
std::string assemblerLog(const std::string &ptx, const Target &target);

}   // namespace tile
