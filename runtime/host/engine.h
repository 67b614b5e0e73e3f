// SPDX-License-Identifier: MIT
// What the launches of one device of this process have in common.
#pragma once

#include "runtime/host/allocations.h"
#include "runtime/host/workers.h"
#include "runtime/printer.h"

#include <mutex>
#include <set>
#include <string>

namespace tile::host {

struct EngineOptions {
  int threads = 0;   // 0: as many as the machine has
  bool check_bounds = true;
  bool check_uninitialized = false;
  Printer::Line print;   // default: to stdout
};

struct Engine {
  explicit Engine(EngineOptions options);

  const bool checks_bounds;
  Allocations allocations;
  Workers workers;
  Printer printer;
  std::mutex launching;             // one launch at a time: it has all threads
  std::set<std::string> launched;   // titles of kernels, since the last look at the red zones
};

}   // namespace tile::host
