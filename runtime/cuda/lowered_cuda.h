// SPDX-License-Identifier: MIT
// A CUDA GPU in a program without the compiler: it launches kernels that were lowered before.
#pragma once

#include "tile/device.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tile {

struct CudaOptions {
  int ordinal = 0;   // of the GPUs that the process sees
  // Takes what print() writes, in the order of the launches, when the host waits for them; default: stdout.
  std::function<void(std::string_view line)> print = nullptr;
};

// Throws tile::Error, with the reason, where there is no such GPU.
std::unique_ptr<Device> open_lowered_cuda(CudaOptions options = {});
// Why there is none; empty where there is one.
std::string why_no_cuda();
// How many the process sees.
int cuda_devices();

}   // namespace tile
