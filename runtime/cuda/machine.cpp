// SPDX-License-Identifier: MIT
#include "runtime/cuda/machine.h"

#include "runtime/cuda/driver.h"

#include <array>

namespace tile::cuda {

Machine machineOf(const PrimaryContext &context) {
  enum Attribute {   // CUdevice_attribute
    ClockKilohertz = 13,
    Multiprocessors = 16,
    MemoryClockKilohertz = 36,
    MemoryBusBits = 37,
    L2CacheBytes = 38,
    Major = 75,
    Minor = 76,
    SharedBytesOptIn = 97
  };
  const Driver &driver = Driver::get();
  const int device = context.device();
  const auto attribute = [&](Attribute which) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, device), "ask for an attribute of the GPU");
    return value;
  };
  Machine is;
  std::array<char, 256> name{};
  check(driver.deviceGetName(name.data(), static_cast<int>(name.size()), device), "ask for the GPU's name");
  is.name = name.data();
  is.multiprocessors = attribute(Multiprocessors);
  is.capability = attribute(Major) * 10 + attribute(Minor);
  is.clock_hertz = attribute(ClockKilohertz) * 1e3;
  // Data moves at both edges of the clock.
  is.memory_bytes_per_second = 2.0 * attribute(MemoryClockKilohertz) * 1e3 * attribute(MemoryBusBits) / 8;
  is.cache_bytes = static_cast<std::size_t>(attribute(L2CacheBytes));
  is.shared_bytes = attribute(SharedBytesOptIn);
  check(driver.deviceTotalMem(&is.memory_bytes, device), "ask for the GPU's memory");
  return is;
}

}   // namespace tile::cuda
