// SPDX-License-Identifier: MIT
// A CUDA GPU in a program without the compiler. It launches kernels that were lowered before.
#pragma once

#include <tile/device.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tile {

struct CudaOptions {
  int ordinal = 0;   // the number of the GPU among those that the process sees
  // Receives the lines of print(), in the order of launches, when the host waits for them; default: stdout.
  std::function<void(std::string_view line)> print = nullptr;
};

// Throws tile::Error with the reason if there is no such GPU.
std::unique_ptr<Device> open_lowered_cuda(CudaOptions options = {});
// The reason why there is no CUDA GPU; empty if there is one.
std::string why_no_cuda();
// The number of GPUs that the process sees.
int cuda_devices();

}   // namespace tile
