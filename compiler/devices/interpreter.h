// SPDX-License-Identifier: MIT
// The device that runs the meaning of a kernel: the tile dialect itself, on this machine's cores.
#pragma once

#include "tile/device.h"

#include <functional>
#include <memory>
#include <string_view>

namespace tile {

struct InterpreterOptions {
  int threads = 0;                    // 0: as many as the machine has
  bool check_bounds = true;           // accesses stay inside one buffer and are aligned
  bool check_overflow = true;         // no access through an offset whose 32-bit arithmetic wrapped
  bool check_asserts = true;          // device_assert and assume_* hold
  bool check_uninitialized = false;   // nothing is read that nobody wrote
  int limit_seconds = 0;              // that a launch may take; 0: any number
  bool shows_progress = false;        // of launches that take long, on standard error
  bool ring_floats = false;           // floats are integers modulo 2^width (docs/design.md, random programs)
  std::function<void(std::string_view line)> print;   // takes what print() writes; default: stdout
};

std::unique_ptr<Device> open_interpreter(InterpreterOptions options = {});

}   // namespace tile
