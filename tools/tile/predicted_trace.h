// SPDX-License-Identifier: MIT
// `tile trace --device simulator`: a launch on the simulator, with the times of a model of an H200.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/recorded_launch.h"
#include "tools/tile/shown_trace.h"

#include <cstdint>

namespace tile::tool {

struct PredictedRequest {
  std::int64_t cta = 0;                   // that is shown
  std::int64_t samples = usual_samples;   // other CTAs that run, for the time of the launch
};

// Prints and writes it. Throws tile::Error where the kernel fails, and BadUsage where there is no such CTA.
void trace_on_simulator(const registry::Entry &kernel, const registry::Settings &settings,
                        const PredictedRequest &request, const TraceFiles &files);

}   // namespace tile::tool
