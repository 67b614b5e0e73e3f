// SPDX-License-Identifier: MIT
// Which config a launch takes on a device that can time.
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

namespace tile::launching {

struct Chosen {
  std::size_t config = 0;
  Executable *executable = nullptr;   // null: not needed, or not compiled yet
};

// One lookup where the key is known; else a sweep, or what stands in for it.
Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space);

}   // namespace tile::launching
