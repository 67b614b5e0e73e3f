// SPDX-License-Identifier: MIT
#include "compiler/devices/load_written.h"

#include "compiler/api/compiler.h"
#include "compiler/devices/cuda_device.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/simulator/simulation.h"
#include "runtime/simulator/tensor_map.h"

#include <bit>

namespace tile {

std::unique_ptr<Executable> load_written(Device &device, const HandWritten &kernel) {
  if (const auto *gpu = dynamic_cast<const cuda::CudaDevice *>(&device))
    return load_written_cuda(*gpu, kernel);
  if (device.kind() == "simulator")
    return simulator::loadProgram(device, compiler().simulate(kernel));
  throw Error("modules written by hand run on the simulator and on CUDA GPUs, not on " + device.description(),
              {});
}

std::array<std::byte, 128> encode_tensor_map(const Device &device, const TensorDescription &description) {
  if (const auto *gpu = dynamic_cast<const cuda::CudaDevice *>(&device))
    return cuda::encodeTensorMap(*gpu->context(), description);
  return std::bit_cast<std::array<std::byte, 128>>(simulator::encodeTensorMap(description));
}

}   // namespace tile
