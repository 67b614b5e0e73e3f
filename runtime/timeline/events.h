// SPDX-License-Identifier: MIT
// A timeline as a file that Perfetto and chrome://tracing open.
#pragma once

#include "runtime/timeline/advice.h"

#include <string>

namespace tile::timeline {

// In the format of trace events: a track for each warp, one for the matrix unit of each group of warps, and
// tracks for copies, of which several are under way at the same time. Times are in microseconds.
std::string trace_events(const Traced &traced);

}   // namespace tile::timeline
