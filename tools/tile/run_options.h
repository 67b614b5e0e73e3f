// SPDX-License-Identifier: MIT
// What the commands that run kernels on random inputs have in common: sizes and types, seed, device.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tile::tool {

// The options of one kernel, then `others`.
std::vector<Option> run_options(const registry::Entry &kernel, std::vector<Option> others);
// Both throw BadUsage.
std::uint64_t parse_seed(const std::string &text);
void require_device(const std::string &name);

}   // namespace tile::tool
