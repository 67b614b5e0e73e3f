// SPDX-License-Identifier: MIT
// What a device with a clock makes of the kernel y = 2 * x: the host computes it, and says what was launched
// on the caller's memory.
#pragma once

#include "test/unit/runtime/timed_device.h"

#include <tile/buffer.h>
#include <tile/dsl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tile::testing {

struct DoublingConfig {
  int block = 64;
};
// For each test a function of its own, whose kernels share nothing with those of the others.
template <int> void double_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const DoublingConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n) * 2, i < n);
}

inline std::unique_ptr<Executable> doubling(TimedDevice &device, double seconds, const std::string &config,
                                            const Buffer<f32> &y, std::vector<std::string> &launched) {
  return std::make_unique<TimedDevice::Program>(
      device, seconds, [config, &y, &launched](const Grid &, std::span<const Argument> a) {
        auto *to = reinterpret_cast<f32 *>(a[1].bits);
        for (std::uint64_t i = 0; i < a[2].bits; ++i)
          to[i] = 2 * reinterpret_cast<const f32 *>(a[0].bits)[i];
        if (to == y.data())
          launched.push_back(config);
      });
}

}   // namespace tile::testing
