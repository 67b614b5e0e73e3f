// SPDX-License-Identifier: MIT
// What a device measures launches with.
#pragma once

#include <functional>
#include <vector>

namespace tile {

// What it needs for measuring it holds while it lives, so make it for the measuring only.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Calls `launch`, which queues one launch, so often; returns the seconds each took on the device, its
  // inputs in no cache.
  virtual std::vector<double> time(const std::function<void()> &launch, int launches) = 0;
  // Waits until what is queued is done, at most so many seconds; whether it is. Throws what went wrong.
  virtual bool done_within(double seconds) = 0;
};

}   // namespace tile
