// SPDX-License-Identifier: MIT
// The device that runs the meaning of a kernel: it interprets the tile dialect on this machine's cores.
#pragma once

#include <tile/device.h>

#include <functional>
#include <memory>
#include <string_view>

namespace tile {

struct InterpreterOptions {
  int threads = 0;                    // 0: one for each core that the process may use
  bool check_bounds = true;           // error if an access leaves its buffer or is not aligned
  bool check_overflow = true;         // error if an access uses an offset that overflowed 32 bits
  bool check_asserts = true;          // error if a device_assert or assume_* is false
  bool check_uninitialized = false;   // error if a load reads memory that was not written
  int limit_seconds = 0;              // time limit of a launch; 0: no limit
  bool shows_progress = false;        // of long launches, on standard error
  bool ring_floats = false;           // floats are integers modulo 2^width (docs/design.md, random programs)
  std::function<void(std::string_view line)> print;   // gets the output of print(); default: stdout
};

std::unique_ptr<Device> open_interpreter(InterpreterOptions options = {});

}   // namespace tile
