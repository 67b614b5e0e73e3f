// SPDX-License-Identifier: MIT
// `tile tune --device simulator`: the configs of a kernel by the times that a model of an H200 predicts for
// them.
#pragma once

#include "runtime/tuning/tuning.h"
#include "tools/registry/registry.h"

namespace tile::tool {

// `options`: limits as for a device with a clock. The records have predicted times, the fastest wins. Throws
// tile::Error if no config can be predicted.
tuning::Sweep tune_on_simulator(const registry::Entry &kernel, const registry::Settings &settings,
                                const tuning::Options &options);

}   // namespace tile::tool
