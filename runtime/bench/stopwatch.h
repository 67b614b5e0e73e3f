// SPDX-License-Identifier: MIT
// What a device measures with: the one mechanism of tuner and benches.
#pragma once

#include "runtime/bench/bench.h"

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace tile {

// Thrown where work is not done in time: the device goes on with it, and no call stops it.
struct NotDone {};
constexpr double any_time = std::numeric_limits<double>::infinity();

// What calls rotate through is so many times as large as the last cache, so that none finds its inputs there.
constexpr double times_cache = 3;

// Calls that were made ready to run one after the other, as often as wanted.
class Series {
 public:
  virtual ~Series() = default;
  // Runs them all; the seconds from the begin of the first to the end of the last, on the device.
  // Waits for them at most so long, and throws NotDone.
  virtual double run(double limit) = 0;
  // Whether that replays a recording, so that the host's part in the calls is not measured.
  virtual bool is_recorded() const = 0;
};

// What it needs for measuring it holds while it lives, so make it for the measuring only.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Calls `call`, which queues work, so often; returns the seconds each took on the device, its inputs in no
  // cache.
  // Waits for them at most so long together, and throws NotDone.
  virtual std::vector<double> time(const std::function<void()> &call, int calls, double limit) = 0;
  // Makes call(0), call(1), ... ready. A call that cannot be recorded is made anew by each run.
  virtual std::unique_ptr<Series> series(std::function<void(int)> call, int calls) = 0;
  // Waits until what is queued is done, at most so many seconds; whether it is. Throws what went wrong.
  virtual bool done_within(double seconds) = 0;

  // What is measured on, and how it is just now.
  virtual bench::Machine machine() const { return {}; }
  virtual bench::Telemetry telemetry() { return {}; }
  virtual std::size_t free_bytes() { return 0; }   // of memory, that nobody uses; 0: not known
  // Runs `work`, which calls libraries of others for the device, as they expect to be called.
  virtual void with_context(const std::function<void()> &work) { work(); }
};

}   // namespace tile
