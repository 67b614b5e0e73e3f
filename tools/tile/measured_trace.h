// SPDX-License-Identifier: MIT
// `tile trace --device cuda`: a launch on a GPU, with stamps of its clock.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/shown_trace.h"

#include <cstdint>
#include <vector>

namespace tile::tool {

struct MeasuredRequest {
  int gpu = 0;                      // among those that the process sees
  std::vector<std::int64_t> ctas;   // that are traced, the first of them is shown; empty: one of sixteen
};

// Prints and writes it. Throws tile::Error where there is no GPU, and BadUsage where there is no such CTA.
void trace_on_gpu(const registry::Entry &kernel, registry::Settings settings, const MeasuredRequest &request,
                  const TraceFiles &files);

}   // namespace tile::tool
