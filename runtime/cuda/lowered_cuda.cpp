// SPDX-License-Identifier: MIT
#include "runtime/cuda/lowered_cuda.h"

#include "runtime/cuda/device.h"

namespace tile {

std::unique_ptr<Device> open_lowered_cuda(CudaOptions options) {
  return std::make_unique<cuda::CudaDevice>(options.ordinal, std::move(options.print));
}

int cuda_devices() {
  int count = 0;
  if (const cuda::Driver *driver = cuda::Driver::find())
    cuda::check(driver->deviceGetCount(&count), "count the GPUs");
  return count;
}

std::string why_no_cuda() {
  std::string reason;
  cuda::Driver::find(&reason);
  return reason;
}

}   // namespace tile
