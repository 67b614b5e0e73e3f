// SPDX-License-Identifier: MIT
// Modules that were written by hand, on whatever runs compiled code.
#pragma once

#include "compiler/api/hand_written.h"
#include "runtime/device.h"
#include "runtime/tensor_description.h"

#include <array>
#include <memory>

namespace tile {

// One way for the simulator and for CUDA GPUs. Throws
// tile::Error with the line of the text, and for a device that runs no such modules.
std::unique_ptr<Executable> load_written(Device &device, const HandWritten &kernel);

// The 128 bytes that bulk tensor copies of such a kernel take on this device. In the device's memory they are
// aligned to 64 bytes, and they stay until the kernel has ended.
std::array<std::byte, 128> encode_tensor_map(const Device &device, const TensorDescription &description);

}   // namespace tile
