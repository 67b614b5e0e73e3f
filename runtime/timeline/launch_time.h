// SPDX-License-Identifier: MIT
// How long a whole launch takes, by the timeline of one of its clusters.
#pragma once

#include "runtime/timeline/timeline.h"

#include <span>
#include <utility>

namespace tile::timeline {

// What runs: CTAs that the launch starts, and those that a multiprocessor can take at the same time.
struct LaunchShape {
  std::int64_t ctas = 1, resident_ctas = 1;
  double miss_share = 1;   // of the loaded bytes: from memory, and not from the L2 cache
  // Of those that a multiprocessor gets.
  std::int64_t ctas_of_one(const GpuModel &model) const;
  Conditions conditions(const GpuModel &model, std::int64_t resident) const;
};

struct LaunchTime {
  double waves = 1;     // of CTAs that a multiprocessor runs at the same time
  double hertz = 0;     // of the clock, by how much the matrix units work
  double seconds = 0;   // with what it takes to begin
};

// The timeline of the first cluster, beside as many CTAs as its multiprocessor runs; and how long the whole
// launch takes, of which the clusters are samples.
std::pair<Timeline, LaunchTime> replay_launch(const simulator::Program &program,
                                              std::span<const simulator::ClusterRecord> clusters,
                                              const GpuModel &model, const LaunchShape &launch);

}   // namespace tile::timeline
