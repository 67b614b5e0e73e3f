// SPDX-License-Identifier: MIT
// Kernels whose code would keep the host's compiler for minutes, found before it begins: sorts of tiles of
// which each thread holds many hundred elements, for one.
#pragma once

#include "runtime/device.h"

namespace mlir {
class Operation;
}

namespace tile::simulator {

// Throws, without the kernel's title, where the tiles of the module would become more code than this device
// compiles. A lower bound of what they become is compared: an elementwise operation on a tile is one
// operation for each element that a thread holds.
void checkSize(mlir::Operation *module, const Launch &launch);

}   // namespace tile::simulator
