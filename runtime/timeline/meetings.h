// SPDX-License-Identifier: MIT
// Where warps wait for each other and for copies: mbarriers, barriers of some warps, the barrier of the
// cluster. Each has a key; copies of a CTA on one multiprocessor have keys of their own.
#pragma once

#include "runtime/timeline/timeline.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace tile::timeline {

class Meetings {
 public:
  using Key = std::uint64_t;
  // The warp goes on at this time; what it has waited for.
  using Wake = std::function<void(std::size_t warp, double time, State state)>;

  Meetings(const GpuModel &model, std::size_t warps_of_cluster, Wake wake)
      : model_(model), warps_of_cluster_(warps_of_cluster), wake_(std::move(wake)) {}

  // ---- mbarriers: a phase is over when all have arrived and all announced bytes have landed

  void initialise(Key mbarrier, std::uint32_t arrivals) { mbarriers_[mbarrier].expected = arrivals; }
  // What is awaited there is copied data.
  void is_filled_by_copies(Key mbarrier) { mbarriers_[mbarrier].is_filled_by_copies = true; }
  void arrive(Key mbarrier, std::int64_t arrivals, std::int32_t expected_bytes, double now);
  void land(Key mbarrier, std::int64_t bytes, double now);
  // Whether so many phases are over. If not, the warp is woken when they are.
  bool wait(Key mbarrier, std::size_t warp, std::uint32_t phases);

  // ---- barriers

  // A warp of 32 threads comes to one of so many; if it waits, it is woken when all have come.
  void meet(Key barrier, std::size_t warp, std::uint32_t threads, bool waits, double now);
  void arrive_at_cluster(Key cluster, double now);
  // Whether so many of its barriers are over. If not, the warp is woken when the next one is.
  bool wait_for_cluster(Key cluster, std::size_t warp, std::uint32_t phases);

 private:
  struct Waiting {
    std::size_t warp;
    std::uint32_t phases;
  };
  struct MBarrier {
    std::int64_t expected = 1, arrived = 0, bytes = 0;
    std::uint32_t phases = 0;
    bool is_filled_by_copies = false;
    bool is_told_by_ctas = false;   // words of the cluster land, by st.async
    std::vector<Waiting> waiting;
  };
  struct Barrier {
    std::uint32_t arrived = 0, phases = 0;
    std::vector<std::size_t> waiting;
  };
  void settle(MBarrier &barrier, double now);
  void release(Barrier &barrier, double time, State state);

  const GpuModel &model_;
  const std::size_t warps_of_cluster_;
  const Wake wake_;
  std::unordered_map<Key, MBarrier> mbarriers_;
  std::unordered_map<Key, Barrier> barriers_, clusters_;
};

}   // namespace tile::timeline
