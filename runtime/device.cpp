// SPDX-License-Identifier: MIT
// What all devices share: an identity.
#include "tile/device.h"

#include <atomic>

namespace tile {

Device::Device() {
  static std::atomic<std::uint64_t> next{1};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
}

}   // namespace tile
