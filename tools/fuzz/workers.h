// SPDX-License-Identifier: MIT
// Checks in processes of their own: a compiler that crashes or hangs on one program ends that program only.
#pragma once

#include "tools/fuzz/check.h"

#include <cstdint>
#include <functional>

namespace tile::fuzz {

struct Limits {
  int jobs = 1;   // processes at a time
  // For one program: of the processor, so that a machine that does other things makes no program hang. What
  // waits without working has so much time by the clock.
  int seconds = 60, idle_seconds = 600;
};

// One check in a process. `seconds` of the processor.
Outcome isolated(const std::function<Outcome()> &check, int seconds);

// Checks the seeds first .. first + count - 1, some at a time. `report` is called here, in the order in which
// they end, and says whether to go on.
void check_seeds(std::uint64_t first, std::uint64_t count, const Limits &limits,
                 const std::function<Outcome(std::uint64_t seed)> &check,
                 const std::function<bool(std::uint64_t seed, const Outcome &)> &report);

}   // namespace tile::fuzz
