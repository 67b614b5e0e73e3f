// SPDX-License-Identifier: MIT
// What all devices share: an identity, and a slow way to do what some do fast.
#include "tile/device.h"

#include "runtime/bench/stopwatch.h"
#include "tile/error.h"
#include "tile/lowered_kernel.h"

#include <atomic>

namespace tile {

Device::Device() {
  static std::atomic<std::uint64_t> next{1};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
}

std::unique_ptr<Executable> Device::load_lowered(LoweredKernel kernel) {
  throw Error("code for " + kernel.target + " is for a GPU, and this is: " + description(), {})
      .add_context(kernel.title())
      .add_help("give this device the traced kernel");
}

std::unique_ptr<Stopwatch> Device::stopwatch() { return nullptr; }

void Device::copy(void *to, const void *from, std::size_t bytes) {
  std::vector<unsigned char> through(bytes);
  copy_out(through.data(), from, bytes);
  copy_in(to, through.data(), bytes);
}

}   // namespace tile
