// SPDX-License-Identifier: MIT
// A kernel of a user's library on the bench. Nobody knows what its results are to be but the interpreter,
// which computes the same at small sizes before anything is timed.
#pragma once

#include "runtime/bench/stopwatch.h"
#include "tools/bench/run.h"
#include "tools/registry/library_kernel.h"

#include <optional>
#include <string>

namespace tile::bench {

// Without a stopwatch this machine's clock times it. Throws tile::Error where no config can be measured.
void measure_own(Device &device, Stopwatch *stopwatch, const Machine &machine, const Request &request,
                 const Wanted &wanted, Case &to);

// Whether a config computes what the interpreter does. What was compared: "96 elements at n=1000".
struct Checked {
  reference::Verdict verdict;
  std::string what;
};
// `reference`: the sizes, as in "n=1000"; empty: lowered ones. Throws registry::BadSetting where they are
// none.
Checked checked_own(Device &device, const registry::Entry &kernel, const registry::Settings &settings,
                    const std::optional<registry::LibraryKernel::Config> &config,
                    const std::string &reference);

}   // namespace tile::bench
