// SPDX-License-Identifier: MIT
// Which config a launch takes on a device that can time.
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

namespace tile::launching {

// Whether a config that is compiled may run until the wanted one is.
enum class StandIns : std::uint8_t { as_usual, never };

// One lookup where the key is known; else a sweep, or what stands in for it. No executable: it is not needed.
Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space,
                    StandIns stand_ins = StandIns::as_usual);

}   // namespace tile::launching
