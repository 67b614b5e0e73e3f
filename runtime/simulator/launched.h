// SPDX-License-Identifier: MIT
// What the programs of one launch share.
#pragma once

#include "runtime/host/allocations.h"
#include "tile/device.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>

namespace tile::simulator {

// When asynchronous copies become visible. A kernel that waits as it should cannot tell.
enum class Completion { eager, random, latest };

struct Options {
  Completion completion = Completion::latest;
  Completion matrices = Completion::latest;   // of a warpgroup: when they are begun, or as late as their wait
  std::uint32_t seed = 1;
  bool checkBounds = true;           // accesses stay inside one buffer
  bool checkAsserts = true;          // device_assert and assume_* hold
  bool checkUninitialized = false;   // nothing is read from global memory that nobody wrote
  bool countAccesses = false;        // what accesses to memory cost each warp
};

// What was done, over all programs.
struct Counters {
  std::uint64_t matrixOps = 0, matrixReads = 0, shuffles = 0, barriers = 0, copies = 0, atomics = 0,
                globalReads = 0, globalWrites = 0, bytesRead = 0, bytesWritten = 0, bytesCopied = 0,
                sharedReads = 0, sharedWrites = 0, warpgroupOps = 0, bulkCopies = 0, bulkBytes = 0,
                registerChanges = 0;
  void add(const Counters &other);
};

struct Launched {
  Grid grid;
  std::span<const std::uint64_t> arguments;   // as the code takes them; pointers with their buffers
  host::Allocations &allocations;
  const Options &options;
  const std::function<void(std::string_view)> &print;
  std::mutex &printing;

  // The first program that failed, so far. Programs before it still run to their end, so that the report
  // does not depend on which host thread was faster; later ones stop.
  std::atomic<std::int64_t> failed{INT64_MAX};
  std::atomic<std::int64_t> failedAt{0};   // when, in ticks of steady_clock
};

// Thrown to leave a program that need not be finished, because an earlier one failed.
struct Abandoned {};

}   // namespace tile::simulator
