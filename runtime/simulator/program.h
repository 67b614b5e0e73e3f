// SPDX-License-Identifier: MIT
// A kernel that the simulator can run.
#pragma once

#include "runtime/device_check.h"
#include "runtime/error.h"
#include "runtime/host/kernel.h"

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

struct Program : host::Kernel {
  using Entry = void (*)(Thread *thread, const std::uint64_t *arguments);

  unsigned threads = 32, sharedBytes = 0;   // per program
  bool hasPartialOrder = false;             // threads are ordered by more than barriers of the whole CTA
  bool changesMaps = false;                 // of tensors, on the device
  std::vector<Site> sites;
  std::vector<DeviceCheck> checks;   // what it checks while it runs, by the number in its fault record
  std::uint64_t frameBytes = 0;      // what the code keeps on the stack of each thread
  Entry entry = nullptr;
  std::shared_ptr<void> code;   // keeps the machine code
};

}   // namespace tile::simulator
