// SPDX-License-Identifier: MIT
// Kernels that are partitioned into a role of copies and one of products (docs/design.md), on the simulator
// of an H200.
#pragma once

#include <tile/simulator.h>
#include <tile/simulator_options.h>

#include <tile/dsl.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile::simulator {

// When asynchronous operations complete, and the order in which threads go on.
struct Way {
  Completion completion = Completion::latest;
  unsigned seed = 1;
  std::optional<unsigned> schedule = std::nullopt;
};
inline constexpr Way ways[] = {{Completion::latest},       {Completion::eager},
                               {Completion::random},       {Completion::random, 2},
                               {Completion::random, 3, 7}, {Completion::latest, 1, 11},
                               {Completion::eager, 1, 5}};

using Print = std::function<void(std::string_view)>;

inline std::unique_ptr<Device>
simulated(const std::string &target, const Way &way, Print print = [](std::string_view) {}) {
  return open_simulator({.target = target,
                         .completion = way.completion,
                         .matrix_completion = way.completion,
                         .seed = way.seed,
                         .schedule_seed = way.schedule,
                         .print = std::move(print)});
}

inline std::unique_ptr<Device> hopper(const Way &way = {}, Print print = [](std::string_view) {}) {
  return simulated("sm_90a", way, std::move(print));
}

// Whether products out of shared memory were made since the simulator was opened, by a role of warps that has
// its blocks copied. Or, without `byWgmma`, whether blocks were copied and no such products made: mma.sync is
// not counted.
inline bool hasMultipliedInRoles(const Device &device, bool byWgmma = true) {
  for (const std::string &line : simulator_counts(device))
    if (line.starts_with("warpgroups: "))
      return line.starts_with("warpgroups: 0 wgmma") != byWgmma &&
             line.find("; 0 bulk copies") == std::string::npos;
  return false;
}

// Whole numbers from -3 to 4: their sums are exact in f32 in whatever order.
inline double smallNumber(std::uint64_t at, std::uint64_t which) {
  std::uint64_t x = (at + 1) * 0x9E3779B97F4A7C15u + which * 0xD1B54A32D192ED03u;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9u;
  return static_cast<double>(x >> 61) - 3;
}

}   // namespace tile::simulator
