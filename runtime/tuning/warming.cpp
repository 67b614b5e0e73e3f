// SPDX-License-Identifier: MIT
#include "runtime/tuning/warming.h"

#include <algorithm>

namespace tile::tuning {

// What is queued is not interrupted: whoever has been compiled meanwhile waits so long.
static constexpr double seconds_at_a_time = 4e-3, longest_launch = 10e-3;
static constexpr int most_launches = 1000;

void Warming::offer(std::size_t candidate, std::function<void()> launch) {
  if (is_chosen_)
    return;
  is_chosen_ = true;   // or none is: the others' launches are as long, and each costs time to be timed
  const double seconds = stopwatch_.time(launch, 1, limit_).front();
  if (seconds > longest_launch)
    return;
  candidate_ = candidate;
  launch_ = std::move(launch);
  launch_seconds_ = seconds;
  launches_ = std::clamp(static_cast<int>(seconds_at_a_time / std::max(seconds, 1e-9)), 1, most_launches);
}

void Warming::work() {
  for (int i = 0; i < launches_; ++i)
    launch_();
  if (!stopwatch_.done_within(limit_ * launches_))
    throw NotDone();
  seconds_ += launch_seconds_ * launches_;
}

}   // namespace tile::tuning
