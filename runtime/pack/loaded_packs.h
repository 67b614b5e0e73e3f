// SPDX-License-Identifier: MIT
// The packs that launches of this process search (runtime/pack/packs.h adds them). They stay to its end.
#pragma once

#include "runtime/pack/pack.h"

#include <memory>
#include <vector>

namespace tile {

// Those of TILE_PACKS first. Throws tile::Error where one of these cannot be read.
std::vector<std::shared_ptr<const Pack>> loaded_packs();

}   // namespace tile
