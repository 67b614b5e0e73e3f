// SPDX-License-Identifier: MIT
// Whether NVIDIA's assembler takes what the compiler makes of a program: the simulator runs code that no
// assembler has seen.
#pragma once

#include "runtime/assembler.h"
#include "tools/fuzz/check.h"

#include <vector>

namespace tile::fuzz {

// For each of these GPUs. What a GPU has not enough of, or no such products for, counts as assembled.
Outcome assemble(const Case &given, const std::vector<Target> &targets, const Assembler &assembler);

}   // namespace tile::fuzz
