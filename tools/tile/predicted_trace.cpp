// SPDX-License-Identifier: MIT
#include "tools/tile/predicted_trace.h"

#include "runtime/progress.h"

#include <fmt/format.h>

namespace tile::tool {
namespace {

using timeline::Role;

Facts facts(const RecordedLaunch &launch, const timeline::Traced &traced, const timeline::LaunchTime &time) {
  const timeline::Timeline &t = traced.timeline;
  const auto percent = [&](double cycles) { return fmt::format("{:.0f}%", 100 * cycles / t.cycles); };
  const auto &id = launch.cluster().ctas.front();
  return {{"config", launch.program().config},
          {"CTA", fmt::format("({}, {}, {}), of {}; {} warps", id[0], id[1], id[2], launch.launch.ctas,
                              launch.program().threads / 32)},
          {"model",
           fmt::format(
               "{}, {:.2f} GHz; {} {} on a multiprocessor at the same time, limited by {}; {:.0f}% of the "
               "loaded bytes come from memory, the others from the L2 cache",
               traced.model.machine.name, time.hertz / 1e9, launch.resident.ctas,
               launch.resident.ctas == 1 ? "CTA" : "CTAs", launch.resident.limit,
               100 * launch.launch.miss_share)},
          {"time", fmt::format("{:.0f} cycles for the CTA; {:.1f} µs for the launch, in {:.3g} {} of CTAs",
                               t.cycles, time.seconds * 1e6, time.waves, time.waves == 1 ? "wave" : "waves")},
          {"busy",
           fmt::format("matrix unit {}, shared memory {}, loads {}, instructions {}", percent(t.matrix_busy),
                       percent(t.shared_busy), percent(t.memory_busy), percent(t.issue_busy))}};
}

std::vector<std::string> sentences(const RecordedLaunch &launch, const timeline::Traced &traced,
                                   const std::vector<Role> &roles) {
  std::vector<std::string> all;
  if (launch.spilled_bytes.value_or(0) > 0) {
    const std::string where =
        launch.spilled.empty() ? ""
                               : ", most of them at " + timeline::short_place(launch.spilled.front().where);
    all.push_back(fmt::format(
        "Each thread keeps {} bytes in memory for want of registers{}, which this timeline does not show: "
        "smaller blocks or more warps need fewer.",
        *launch.spilled_bytes, where));
  }
  for (std::string &sentence : timeline::advice(traced, roles))
    all.push_back(std::move(sentence));
  return all;
}

}   // namespace

void trace_on_simulator(const registry::Entry &kernel, const registry::Settings &settings,
                        const PredictedRequest &request, const TraceFiles &files) {
  const timeline::GpuModel model;
  const RecordedLaunches recorded = [&] {
    Progress progress(fmt::format("{} on the simulator", kernel.name));
    return record_launch(kernel, settings, request.cta, request.samples, model);
  }();
  for (std::size_t i = 0; i < recorded.kernels.size(); ++i) {
    const RecordedLaunch &launch = recorded.kernels[i];
    const auto [t, time] = replay_launch(launch.program(), launch.recording.clusters, model, launch.launch);
    const timeline::Traced traced{launch.program(), launch.cluster(), t, model, time.hertz};
    const std::vector<Role> roles = timeline::roles(launch.program(), launch.cluster(), t);
    show({.settings = settings.text(),
          .facts = facts(launch, traced, time),
          .sentences = sentences(launch, traced, roles),
          .traced = traced,
          .events = traced,
          .roles = roles},
         files, i);
  }
  if (recorded.failure)   // what is shown ends there
    throw Error(*recorded.failure);
}

}   // namespace tile::tool
