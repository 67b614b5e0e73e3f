// SPDX-License-Identifier: MIT
// The GPU whose code is made where nobody names one and none is there: by the tools, by passes that run
// alone, by the simulator. One constant, so that all of them speak of the same code.
#pragma once

#include <string_view>

namespace tile {

// Hopper with its own instructions: products of groups of warps, registers that roles exchange. Its code runs
// on no other GPU; one that is there is asked what it is instead.
inline constexpr std::string_view default_target = "sm_90a";

}   // namespace tile
