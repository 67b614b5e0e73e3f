// SPDX-License-Identifier: MIT
// The CUDA device that compiles what it is given.
#pragma once

#include "runtime/device.h"

#include <memory>

namespace tile {

// Throws tile::Error, with the reason, where there is no such GPU.
std::unique_ptr<Device> open_cuda(int ordinal = 0);
// Why there is none; empty where there is one.
std::string why_no_cuda();

}   // namespace tile
