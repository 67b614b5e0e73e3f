// SPDX-License-Identifier: MIT
// The timeline of a launch on a GPU, from the stamps that it wrote.
#pragma once

#include "runtime/stamps.h"
#include "runtime/timeline/timeline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tile::timeline {

struct MeasuredCta {
  std::int64_t number = 0;
  unsigned multiprocessor = 0;
  double begin_seconds = 0;   // since the first traced CTA began
  double seconds = 0;         // until it ended, also where lists were full before
};

// What pictures, events and summaries take, with real times. Stamps do not show how long a copy is under way,
// what the units are busy with, or what a warp computes between two of them.
struct Measured {
  simulator::Program program;   // the sites are its places
  simulator::ClusterRecord record;
  Timeline timeline;
  double hertz = 0;              // of the clock, during the launch
  bool is_clock_known = false;   // otherwise the launch was too short, and the highest clock counts
  std::vector<MeasuredCta> ctas;
  std::uint64_t stamps = 0, lost = 0;   // lost: their list was full
  // Between two stamps of a warp, the least there is: no stamp takes longer than that. 0: no warp has two.
  double least_cycles = 0;
};

// Of these CTAs, which are among the traced ones; 0 is when the first of them began. `highest`: the clock of
// the machine. Throws tile::Error where the lists hold nothing, or nothing that the code writes.
Measured measured(const StampedLaunch &launch, std::span<const std::int64_t> ctas, double highest);

}   // namespace tile::timeline
