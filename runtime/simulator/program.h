// SPDX-License-Identifier: MIT
// A kernel that the simulator can run.
#pragma once

#include "runtime/device_check.h"
#include "runtime/error.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tile::simulator {

struct Thread;

// An operation that may be reported: what a report calls it, and the user's line.
struct Site {
  std::string what;   // "load reads"
  Location where;
};

struct Program {
  using Entry = void (*)(Thread *thread, const std::uint64_t *arguments);

  std::string kernel, config;
  unsigned threads = 32, sharedBytes = 0;     // per program
  std::array<unsigned, 3> cluster{1, 1, 1};   // CTAs along each axis
  bool hasPartialOrder = false;               // threads are ordered by more than barriers of the whole CTA
  bool changesMaps = false;                   // of tensors, on the device
  std::vector<unsigned> parameters;           // positions of the launch arguments that the code takes
  std::vector<Site> sites;
  std::vector<DeviceCheck> checks;   // what it checks while it runs, by the number in its fault record
  std::uint64_t frameBytes = 0;      // what the code keeps on the stack of each thread
  Entry entry = nullptr;
  std::shared_ptr<void> code;   // keeps the machine code

  unsigned ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
  // The last line of every report.
  std::string title() const { return "kernel " + kernel + (config.empty() ? "" : ", config " + config); }
};

}   // namespace tile::simulator
