// SPDX-License-Identifier: MIT
// Which config a launch takes on a device that can time.
#pragma once

#include "compiler/dsl/launch_cache.h"
#include "tile/kernel.h"

namespace tile::detail {

struct Chosen {
  std::size_t config = 0;
  Executable *executable = nullptr;   // null: not needed, or not compiled yet
};

// One lookup where the key is known; else a sweep, or what stands in for it.
Chosen tuned_choice(const LaunchRequest &r, const ConfigSpace &space);

}   // namespace tile::detail
