// SPDX-License-Identifier: MIT
#include "compiler/devices/cuda_toolchain.h"

#include "compiler/api/kernel_key.h"
#include "runtime/assembler.h"
#include "runtime/cuda/driver.h"

namespace tile {

Target cuda_target(const cuda::Capability &gpu, const std::string &description) {
  std::optional<Target> best = Target::bestFor(gpu.major, gpu.minor);
  if (!best)
    throw Error("this GPU is too old: " + description + "; compute capability 8.0 or newer is needed", {})
        .with_code(ErrorCode::unsupported);
  return *best;
}

static std::string driver_version() {
  int version = 0;
  cuda::check(cuda::Driver::get().driverGetVersion(&version), "ask for the driver's version");
  return "CUDA " + std::to_string(version);
}

std::string cuda_toolchain() {
  const std::optional<Assembler> assembler = find_assembler();
  return compiler_identity() + "; " + (assembler ? assembler->identity() : "the driver's") + "; " +
         driver_version();
}

}   // namespace tile
