// SPDX-License-Identifier: MIT
// Comparing on a device with kernels of the language, which each device compiles as it compiles all others.
#pragma once

#include "runtime/comparer.h"
#include "runtime/device.h"

#include <memory>

namespace tile {

// Compiles what it needs when it is first asked.
std::unique_ptr<Comparer> make_device_comparer(Device &device);

}   // namespace tile
