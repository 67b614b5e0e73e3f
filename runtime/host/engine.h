// SPDX-License-Identifier: MIT
// What the launches of one device of this process have in common.
#pragma once

#include "runtime/device.h"
#include "runtime/host/allocations.h"
#include "runtime/host/workers.h"
#include "runtime/printer.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tile::host {

struct EngineOptions {
  int threads = 0;   // 0: usable_cores(), which affinity and cgroups limit
  bool check_bounds = true;
  bool check_uninitialized = false;
  int limit_seconds = 0;         // that a launch may take; 0: any number
  bool shows_progress = false;   // of launches that take long, on standard error
  Printer::Line print;           // default: to stdout
};

class Runner;

struct Engine {
  explicit Engine(EngineOptions options);
  ~Engine();

  std::optional<DeviceLink> device;   // whose it is; none: nobody's, as in tests
  const bool checks_bounds;
  const int limit_seconds;
  const bool shows_progress;
  Allocations allocations;
  Workers workers;
  Printer printer;
  std::mutex launching;   // one launch at a time: it has all threads
  // Those of the kernel that was launched last, one for each thread: thousands of kernels may be loaded, and
  // what they need to run is needed for one of them.
  std::vector<std::unique_ptr<Runner>> runners;
  std::uint64_t owner = 0;          // the number of that kernel
  std::set<std::string> launched;   // titles of kernels, since the last look at the red zones
};

}   // namespace tile::host
