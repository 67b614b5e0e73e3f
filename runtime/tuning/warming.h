// SPDX-License-Identifier: MIT
// Work for a device whose clock depends on what it has done lately, while a tuner waits for something else:
// what is timed after that need not be preceded by work that only brings the clock down.
#pragma once

#include "runtime/bench/stopwatch.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace tile::tuning {

class Warming {
 public:
  // `limit`: seconds that a launch may take.
  Warming(Stopwatch &stopwatch, double limit) : stopwatch_(stopwatch), limit_(limit) {}

  // A candidate that is known to run: the first is taken, if its launches are short. Launches, and throws
  // NotDone and what a launch throws.
  void offer(std::size_t candidate, std::function<void()> launch);
  // Whose launches they are; nothing: there is no work.
  std::optional<std::size_t> candidate() const { return candidate_; }
  // A few milliseconds of it. Throws as offer() does.
  void work();
  void stop() { candidate_.reset(); }

  double seconds() const { return seconds_; }   // of work until now

 private:
  Stopwatch &stopwatch_;
  const double limit_;
  bool is_chosen_ = false;
  std::optional<std::size_t> candidate_;
  std::function<void()> launch_;
  double launch_seconds_ = 0;
  int launches_ = 0;   // at a time
  double seconds_ = 0;
};

}   // namespace tile::tuning
