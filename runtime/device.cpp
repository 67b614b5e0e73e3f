// SPDX-License-Identifier: MIT
// What all devices share: an identity, and a slow way to do what some do fast.
#include "tile/device.h"

#include "runtime/tuning/stopwatch.h"

#include <atomic>

namespace tile {

Device::Device() {
  static std::atomic<std::uint64_t> next{1};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
}

std::unique_ptr<Stopwatch> Device::stopwatch() { return nullptr; }

void Device::copy(void *to, const void *from, std::size_t bytes) {
  std::vector<unsigned char> through(bytes);
  copy_out(through.data(), from, bytes);
  copy_in(to, through.data(), bytes);
}

}   // namespace tile
