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

std::string kib(int bytes) {
  const int tenths = (bytes * 10 + 512) / 1024;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::unique_ptr<Executable> assembled(const cuda::CudaDevice &device, Compiled compiled,
                                      const std::string &named) {
  if (compiled.sharedBytes > device.sharedBytesPerBlock())
    throw Error("needs " + kib(compiled.sharedBytes) + " KiB of shared memory, the device has " +
                    kib(device.sharedBytesPerBlock()),
                {})
        .add_context(named);
  cuda::Assembled assembled = cuda::assemble(*device.context(), compiled.text, compiled.symbol);
  cuda::FaultSource faults{std::move(compiled.checks), named};
  return std::make_unique<cuda::CudaExecutable>(
      device, cuda::Artefact{compiled.symbol, std::move(assembled.image), compiled.threads,
                             compiled.sharedBytes, compiled.parameters, std::move(assembled.log),
                             std::move(faults), std::move(compiled.formats)});
}

class CompilingDevice : public cuda::CudaDevice {
 public:
  explicit CompilingDevice(CudaOptions options)
      : CudaDevice(options.ordinal, std::move(options.print)),
        target_(targetFor(capability(), description())) {}

  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return assembled(*this, compile(kernel, target_),
                     "kernel " + kernel.name() +
                         (kernel.config().empty() ? "" : ", config " + kernel.config()));
  }

 private:
  Target target_;
};

}   // namespace

std::unique_ptr<Device> open_cuda(CudaOptions options) {
  return std::make_unique<CompilingDevice>(std::move(options));
}

std::unique_ptr<Executable> load_written_cuda(const cuda::CudaDevice &device, const std::string &text) {
  Compiled compiled = compileWritten(text, targetFor(device.capability(), device.description()));
  const std::string named = "kernel " + compiled.symbol + ", written by hand";
  return assembled(device, std::move(compiled), named);
}

std::string why_no_cuda() {
  std::string reason;
  cuda::Driver::find(&reason);
  return reason;
}

}   // namespace tile
