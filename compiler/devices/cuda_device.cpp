// SPDX-License-Identifier: MIT
#include "compiler/devices/cuda_device.h"

#include "compiler/compile.h"
#include "runtime/cuda/device.h"

namespace tile {
namespace {

Target targetFor(const cuda::Capability &gpu, const std::string &description) {
  std::optional<Target> best = Target::bestFor(gpu.major, gpu.minor);
  if (!best)
    throw Error("this GPU is too old: " + description + "; compute capability 8.0 or newer is needed", {});
  return *best;
}

class CompilingDevice : public cuda::CudaDevice {
 public:
  explicit CompilingDevice(CudaOptions options)
      : CudaDevice(options.ordinal, std::move(options.print)),
        target_(targetFor(capability(), description())) {}

  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return load_lowered(compile(kernel, target_));
  }

 private:
  Target target_;
};

}   // namespace

std::unique_ptr<Device> open_cuda(CudaOptions options) {
  return std::make_unique<CompilingDevice>(std::move(options));
}

std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const HandWritten &kernel) {
  return std::make_unique<cuda::CudaExecutable>(
      device, compile(kernel, targetFor(device.capability(), device.description())));
}

}   // namespace tile
