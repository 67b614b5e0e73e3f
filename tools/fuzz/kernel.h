// SPDX-License-Identifier: MIT
// From text of the tile dialect to what devices load.
#pragma once

#include "compiler/api/kernel_ir.h"

#include <string>

namespace tile::fuzz {

// Throws tile::Error where the text does not parse or verify.
KernelIR read_kernel(const std::string &text);
// The kernel after the passes on tiles; throws as read_kernel.
KernelIR canonical(const KernelIR &kernel);

}   // namespace tile::fuzz
