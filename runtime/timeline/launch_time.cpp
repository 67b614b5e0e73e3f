// SPDX-License-Identifier: MIT
#include "runtime/timeline/launch_time.h"

#include <algorithm>

namespace tile::timeline {

std::int64_t LaunchShape::ctas_of_one(const GpuModel &model) const {
  return (ctas + model.machine.multiprocessors - 1) / model.machine.multiprocessors;
}
Conditions LaunchShape::conditions(const GpuModel &model, std::int64_t resident) const {
  return {.resident_ctas = static_cast<int>(resident),
          .miss_share = miss_share,
          .active_share = std::min(1.0, static_cast<double>(ctas) / model.machine.multiprocessors)};
}

std::pair<Timeline, LaunchTime> replay_launch(const simulator::Program &program,
                                              std::span<const simulator::ClusterRecord> clusters,
                                              const GpuModel &model, const LaunchShape &launch) {
  const std::int64_t all = launch.ctas_of_one(model),
                     resident = std::clamp<std::int64_t>(launch.resident_ctas, 1, all);
  const std::int64_t waves = all / resident, rest = all % resident;
  Timeline first;
  double cycles = 0, busy = 0, longest = 0;   // of a multiprocessor, if all its CTAs were as the samples are
  for (const simulator::ClusterRecord &cluster : clusters) {
    Timeline timeline = replay(program, cluster, model, launch.conditions(model, resident));
    cycles += static_cast<double>(waves) * timeline.cycles;
    busy += static_cast<double>(waves) * timeline.matrix_busy;
    longest = std::max(longest, timeline.cycles);
    if (rest) {   // they have the multiprocessor for themselves
      const Timeline last = replay(program, cluster, model, launch.conditions(model, rest));
      cycles += last.cycles;
      busy += last.matrix_busy;
    }
    if (&cluster == &clusters.front())
      first = std::move(timeline);
  }
  const auto samples = static_cast<double>(clusters.size());
  const double taken = std::max(cycles / samples, longest);
  // Multiprocessors without a CTA in the last wave take no power.
  const double full =
      static_cast<double>(launch.ctas) / static_cast<double>(all * model.machine.multiprocessors);
  LaunchTime time;
  time.waves = static_cast<double>(all) / static_cast<double>(resident);
  time.hertz = model.clock(busy / samples / taken * full);
  time.seconds = taken / time.hertz + model.launch_seconds;
  return {std::move(first), time};
}

}   // namespace tile::timeline
