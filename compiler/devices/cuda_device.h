// SPDX-License-Identifier: MIT
// The CUDA device that compiles what it is given.
#pragma once

#include "tile/lowered_cuda.h"

#include <memory>

namespace tile::cuda {
class CudaDevice;
}

namespace tile {

struct HandWritten;

// Throws tile::Error, with the reason, where there is no such GPU.
std::unique_ptr<Device> open_cuda(CudaOptions options = {});
// What was written by hand (compiler/face/hand_written.h), ready to run.
std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const HandWritten &kernel);

}   // namespace tile
