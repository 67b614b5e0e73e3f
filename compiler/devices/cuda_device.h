// SPDX-License-Identifier: MIT
// The CUDA device that compiles the kernels that it gets.
#pragma once

#include <tile/lowered_cuda.h>

#include <memory>

namespace tile::cuda {
class CudaDevice;
}

namespace tile {

struct HandWritten;

// Opens a GPU. Throws tile::Error with the reason if there is no such GPU.
std::unique_ptr<Device> open_cuda(CudaOptions options = {});
// Loads a kernel that was written by hand (compiler/api/hand_written.h).
std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const HandWritten &kernel);

}   // namespace tile
