// SPDX-License-Identifier: MIT
// Random programs that are right by construction: every address lies in its buffer, every float is exact in
// any order of evaluation or an element of a ring, so that whatever runs them has one answer to give.
#pragma once

#include "tools/fuzz/program.h"

namespace tile::fuzz {

Program generate(std::uint64_t seed, Floats floats = Floats::small);
// Around loops of products over described tensors, as the kernels that become copies of boxes, products out
// of shared memory and roles of warps.
Program generate_products(std::uint64_t seed, Floats floats = Floats::small);

}   // namespace tile::fuzz
