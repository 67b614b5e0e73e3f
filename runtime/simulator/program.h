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

// What a warp computes on the way to a place, in cycles of a quarter of a multiprocessor: instructions
// issued, those for floats, for integers and comparisons, for exponentials and the like. `depth`: of the
// longest chain in which each needs the one before.
struct Arithmetic {
  float issued = 0, fma = 0, alu = 0, special = 0, depth = 0;
};

// A place of a program that was compiled for recordings: before an operation that takes other hardware than
// the arithmetic units, or at the end of a block (compiler/lowering/simulator/places.h).
struct Place {
  Location where;
  Arithmetic work;                     // since the place before
  std::vector<std::uint32_t> needed;   // places whose results that takes
  struct Line {
    Location where;
    float cycles;
  };
  std::vector<Line> lines;   // of the work
};

// A lowered kernel whose code is held here.
struct Program : LoweredKernel {
  using Entry = void (*)(Thread *thread, const std::uint64_t *arguments);

  explicit Program(LoweredKernel lowered) : LoweredKernel(std::move(lowered)) {}

  bool hasPartialOrder = false;   // threads are ordered by more than barriers of the whole CTA
  bool changesMaps = false;       // of tensors, on the device
  bool tracksGlobal = false;      // what it writes to global memory, it may read again or bulk copies write
  std::vector<Site> sites;
  std::vector<Place> places;      // where the kernel was compiled for recordings
  std::uint64_t frameBytes = 0;   // what the code keeps on the stack of each thread
  Entry entry = nullptr;
  std::shared_ptr<void> machineCode;   // keeps it
};

}   // namespace tile::simulator
