// SPDX-License-Identifier: MIT
// The devices of this machine by name.
#pragma once

#include "tile/device.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// "interpreter"; "simulator", which runs lowered kernels on the CPU; "cuda", a GPU, for kernels on buffers of
// the device; "auto", today the interpreter. Throws tile::Error naming the accepted ones.
std::unique_ptr<Device> open_device(std::string_view name = "auto");
std::vector<std::string> device_names();

}   // namespace tile
