// SPDX-License-Identifier: MIT
// The C header of the functions that a shared library exports with TILE_EXPORT.
#pragma once

#include <string>

namespace tile::registry {

// Throws tile::Error if there is no such library, if it exports nothing, and if it is of another version of
// tile.
std::string c_header(const std::string &library);

}   // namespace tile::registry
