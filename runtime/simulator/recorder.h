// SPDX-License-Identifier: MIT
// Records what the warps of a cluster do. Threads run one after the other, so what the machine does as one
// instruction comes here lane by lane. Each step has the place in the program where it is taken, and places
// are numbered in the order of the program. The lanes are merged as a GPU would run them: of the lanes that
// have not come to the end, those at the first place take the next step together.
#pragma once

#include "runtime/simulator/access_log.h"
#include "runtime/simulator/recording.h"
#include "runtime/simulator/thread.h"

#include <array>
#include <deque>
#include <vector>

namespace tile::simulator {

class Recorder {
 public:
  Recorder(std::int64_t cluster, unsigned warpsOfCta, unsigned ctas);

  // The thread has come to this place, and takes all further steps there.
  void arrive(const Thread &t, std::uint32_t place);
  void add(const Thread &t, Act act, std::uint32_t object = 0, std::uint32_t amount = 0,
           std::uint32_t more = 0, std::uint32_t cached = 0);
  void access(const Thread &t, AccessKind kind, std::uint64_t at, std::uint32_t bytes, bool isActive);
  void end(const Thread &t);

  // How an mbarrier is named in steps.
  static std::uint32_t mbarrier(unsigned rank, std::uint32_t offset) { return rank << 16 | offset / 8; }
  static unsigned rankOf(std::uint32_t mbarrier) { return mbarrier >> 16; }

  ClusterRecord take();

 private:
  struct LaneStep : Step {
    std::uint64_t at = 0;
    std::uint32_t bytes = 0;
    bool isActive = true;
    AccessKind kind = {};
  };
  struct Lane {
    std::deque<LaneStep> steps;
    std::uint32_t place = 0;
    bool hasEnded = false;
  };
  struct Warp {
    std::array<Lane, 32> lanes;
    WarpRecord record;
  };
  Lane &laneOf(const Thread &t);
  void push(const Thread &t, LaneStep step);
  static void merge(Warp &warp);

  ClusterRecord record_;
  unsigned warpsOfCta_;
  std::vector<Warp> warps_;
};

// Where it is recorded.
void record(const Thread &t, Act act, std::uint32_t object = 0, std::uint32_t amount = 0,
            std::uint32_t more = 0, std::uint32_t cached = 0);

}   // namespace tile::simulator
