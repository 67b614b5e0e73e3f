// SPDX-License-Identifier: MIT
// A kernel that the simulator can run.
#pragma once

#include "runtime/lowered_kernel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tile::simulator {

struct Thread;

// An operation that may be reported: what a report calls it, and the user's line.
struct Site {
  std::string what;   // "load reads"
  Location where;
};

// A lowered kernel whose code is held here.
struct Program : LoweredKernel {
  using Entry = void (*)(Thread *thread, const std::uint64_t *arguments);

  explicit Program(LoweredKernel lowered) : LoweredKernel(std::move(lowered)) {}

  bool hasPartialOrder = false;   // threads are ordered by more than barriers of the whole CTA
  bool changesMaps = false;       // of tensors, on the device
  bool tracksGlobal = false;      // what it writes to global memory, it may read again or bulk copies write
  std::vector<Site> sites;
  std::uint64_t frameBytes = 0;   // what the code keeps on the stack of each thread
  Entry entry = nullptr;
  std::shared_ptr<void> machineCode;   // keeps it
};

}   // namespace tile::simulator
