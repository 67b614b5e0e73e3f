// SPDX-License-Identifier: MIT
// Instructions that some generations have and that a conversion between layouts can do without.
#pragma once

#include "compiler/target/target.h"

namespace tile {

// Whether stmatrix writes what a warp holds of 8 x 8 matrices to shared memory.
inline bool hasMatrixStores(const Target &target) { return target.version() >= 90; }

}   // namespace tile
