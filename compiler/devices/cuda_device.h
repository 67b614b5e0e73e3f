// SPDX-License-Identifier: MIT
// The CUDA device that compiles what it is given.
#pragma once

#include "tile/device.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tile::cuda {
class CudaDevice;
}

namespace tile {

struct CudaOptions {
  int ordinal = 0;   // of the GPUs that the process sees
  // Takes what print() writes, in the order of the launches, when the host waits for them; default: stdout.
  std::function<void(std::string_view line)> print = nullptr;
};

// Throws tile::Error, with the reason, where there is no such GPU.
std::unique_ptr<Device> open_cuda(CudaOptions options = {});
// A module that was written by hand (compiler/written_module.h), ready to run.
std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const std::string &text);
// Why there is none; empty where there is one.
std::string why_no_cuda();

}   // namespace tile
