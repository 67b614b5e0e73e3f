// SPDX-License-Identifier: MIT
// `tile bench --trace FOLDER`: a timeline of each case that was measured, of the config that was the fastest.
#pragma once

#include "runtime/device.h"
#include "tools/bench/run.h"

#include <span>
#include <string>

namespace tile::tool {

// `wanted`: the cases of the report, in its order. Writes a page for each into the folder, and prints what a
// trace prints: measured where the device is a GPU, else predicted.
void trace_cases(const bench::Report &report, std::span<const bench::Wanted> wanted,
                 const std::string &device, const std::string &folder);

}   // namespace tile::tool
