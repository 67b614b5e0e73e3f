// SPDX-License-Identifier: MIT
// All functions of the driver that nobody asks anything of: they succeed.
#include "runtime/cuda/driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

using namespace tile::cuda;

#define TILE_DRIVER_FUNCTION(name, symbol, parameters)                                                       \
  extern "C" __attribute__((visibility("default"), weak)) Result symbol parameters { return Result::Success; }
#include "runtime/cuda/driver_functions.def"
