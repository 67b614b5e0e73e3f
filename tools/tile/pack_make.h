// SPDX-License-Identifier: MIT
// `tile pack make` and `tile pack cached`: what packs are made of.
#pragma once

#include "runtime/pack/pack.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <vector>

namespace tile::tool {

int make_pack(Arguments arguments);     // of kernels, which it compiles
int pack_cached(Arguments arguments);   // of the entries of the cache

const std::vector<Option> &make_pack_options();

}   // namespace tile::tool
