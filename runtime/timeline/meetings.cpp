// SPDX-License-Identifier: MIT
#include "runtime/timeline/meetings.h"

#include <utility>

namespace tile::timeline {

void Meetings::settle(MBarrier &barrier, double now) {
  while (barrier.arrived >= barrier.expected && barrier.bytes == 0 && barrier.expected > 0) {
    barrier.arrived -= barrier.expected;
    ++barrier.phases;
    for (const Waiting &one : std::exchange(barrier.waiting, {}))
      if (one.phases > barrier.phases)
        barrier.waiting.push_back(one);
      else
        wake_(one.warp, now + model_.mbarrier_latency,
              barrier.is_told_by_ctas       ? State::cluster
              : barrier.is_filled_by_copies ? State::data
                                            : State::slot);
  }
}

void Meetings::arrive(Key key, std::int64_t arrivals, std::int32_t expected_bytes, double now) {
  MBarrier &barrier = mbarriers_[key];
  barrier.is_filled_by_copies |= expected_bytes != 0;
  barrier.is_told_by_ctas |= expected_bytes < 0;
  barrier.bytes += expected_bytes;
  barrier.arrived += arrivals;
  settle(barrier, now);
}

void Meetings::land(Key key, std::int64_t bytes, double now) {
  MBarrier &barrier = mbarriers_[key];
  barrier.bytes -= bytes;
  settle(barrier, now);
}

bool Meetings::wait(Key key, std::size_t warp, std::uint32_t phases) {
  MBarrier &barrier = mbarriers_[key];
  if (barrier.phases >= phases)
    return true;
  barrier.waiting.push_back({warp, phases});
  return false;
}

void Meetings::release(Barrier &barrier, double time, State state) {
  barrier.arrived = 0;
  ++barrier.phases;
  for (const std::size_t warp : std::exchange(barrier.waiting, {}))
    wake_(warp, time, state);
}

void Meetings::meet(Key key, std::size_t warp, std::uint32_t threads, bool waits, double now) {
  Barrier &barrier = barriers_[key];
  constexpr std::uint32_t of_warp = 32;
  barrier.arrived += of_warp;
  if (waits)
    barrier.waiting.push_back(warp);
  if (barrier.arrived >= threads)
    release(barrier, now + model_.barrier_latency, State::barrier);
}

void Meetings::arrive_at_cluster(Key key, double now) {
  Barrier &barrier = clusters_[key];
  if (++barrier.arrived == warps_of_cluster_)
    release(barrier, now + model_.cluster_latency, State::cluster);
}

bool Meetings::wait_for_cluster(Key key, std::size_t warp, std::uint32_t phases) {
  Barrier &barrier = clusters_[key];
  if (barrier.phases >= phases)
    return true;
  barrier.waiting.push_back(warp);
  return false;
}

}   // namespace tile::timeline
