// SPDX-License-Identifier: MIT
// One launch of a kernel on the simulator, of which some clusters run and are recorded, and what decides how
// long it takes on a GPU beside that.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "runtime/simulator/recording.h"
#include "runtime/spilled_lines.h"
#include "runtime/timeline/launch_time.h"
#include "runtime/tuning/tuning.h"
#include "tools/registry/registry.h"
#include "tools/tile/occupancy.h"

#include <optional>
#include <vector>

namespace tile::tool {

struct RecordedLaunch {
  simulator::Recording recording;
  Occupancy resident;
  std::optional<int> registers;       // of each thread; none: there is no assembler
  std::optional<int> spilled_bytes;   // of each thread; none: there is no assembler
  std::vector<SpilledLine> spilled;   // the lines with the most of them first, where they are known
  timeline::LaunchShape launch;
  const simulator::Program &program() const { return *recording.program; }
  // The one that was asked for; the others are samples of the launch.
  const simulator::ClusterRecord &cluster() const { return recording.clusters.front(); }
};

struct RecordedLaunches {
  std::vector<RecordedLaunch> kernels;
  std::optional<Error> failure;   // a launch that failed is recorded as far as it came
};

std::int64_t ctas_of(const Grid &grid);

// A config that was launched, as --config takes it.
std::string as_setting(const std::string &config);

constexpr std::int64_t usual_samples = 6;

// Of each kernel that the launch starts, in their order. `samples`: CTAs beside the one that was asked for,
// spread over the grid. Throws BadUsage if there is no such CTA, and tile::Error if nothing has run.
RecordedLaunches record_launch(const registry::Entry &kernel, const registry::Settings &settings,
                               std::int64_t cta, std::int64_t samples, const timeline::GpuModel &model);

// What a launch with these sizes starts of the kernel itself, where others run beside it; of another one,
// where that runs in its place.
struct StartedPrograms {
  KernelIR kernel;
  std::int64_t programs = 0;   // of one cluster of CTAs each
  unsigned ctas = 1;           // of a cluster
};
StartedPrograms started_programs(const registry::Entry &kernel, const registry::Settings &settings,
                                 const timeline::GpuModel &model);

// The configs among which a launch chooses, in the order of its list, with what the kernel's cost expects.
tuning::Sweep untimed_sweep(const registry::Entry &kernel, const registry::Settings &settings,
                            const timeline::GpuModel &model);

}   // namespace tile::tool
