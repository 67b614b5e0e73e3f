// SPDX-License-Identifier: MIT
// The CUDA device that compiles what it is given.
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>

namespace tile::cuda {
class CudaDevice;
}

namespace tile {

// Throws tile::Error, with the reason, where there is no such GPU.
std::unique_ptr<Device> open_cuda(int ordinal = 0);
// A module that was written by hand (compiler/written_module.h), ready to run.
std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const std::string &text);
// Why there is none; empty where there is one.
std::string why_no_cuda();

}   // namespace tile
