// SPDX-License-Identifier: MIT
// How good a tuner's picks are: a sweep is made several times, then all configs are timed afresh, and each
// pick is held against the best of them.
#pragma once

#include "runtime/tuning/tuning.h"
#include "tools/registry/registry.h"

#include <functional>
#include <string>
#include <vector>

namespace tile::bench {

struct Repeats {
  struct Timed {
    std::string config;   // as `tile run --config` takes it
    double seconds = 0;   // timed afresh
  };
  std::vector<Timed> picks;   // one of each sweep
  Timed best;
  double sweep_seconds = 0;        // median
  int within(double part) const;   // so many picks take at most this part longer than the best
};

// Throws tile::Error where nothing is measured. `told` is called with what is going on.
Repeats repeat_tuning(Device &device, const registry::Entry &kernel, const registry::Settings &settings,
                      const tuning::Options &options, int repeats,
                      const std::function<void(const std::string &)> &told = nullptr);

}   // namespace tile::bench
