// SPDX-License-Identifier: MIT
// What the commands that run kernels on random inputs have in common: sizes and types, seed, device.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tile::tool {

// The options of one kernel, then `others`.
std::vector<Option> run_options(const registry::Entry &kernel, std::vector<Option> others);
// These throw BadUsage.
std::uint64_t whole_number(const Given &given,
                           std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// The value of an option that takes a number from 1 on.
std::int64_t count_up_to(std::int64_t most, const Given &given, std::string_view what = "a number");
void require_device(const std::string &name);

}   // namespace tile::tool
