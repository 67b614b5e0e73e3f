// SPDX-License-Identifier: MIT
// What the driver says of a GPU, asked once.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/device.h"

namespace tile::cuda {

// Without what only NVML knows: the driver's version, and the clock that the GPU reaches.
Machine machineOf(const PrimaryContext &context);

}   // namespace tile::cuda
