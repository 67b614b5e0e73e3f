// SPDX-License-Identifier: MIT
// Kernels of a user's own as entries, for every command that takes one: those that a shared object shows with
// TILE_KERNEL_LIBRARY.
#pragma once

#include "tools/registry/registry.h"

namespace tile::registry {

// Loaded once, for as long as the process. Throws tile::Error where there is no such library, where it has no
// kernels, and where it is of another version of tile.
const std::vector<Entry> &library_entries(const std::string &path);
const Entry &library_entry(const std::string &path, std::string_view name);   // throws BadSetting, too

}   // namespace tile::registry
