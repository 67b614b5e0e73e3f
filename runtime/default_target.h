// SPDX-License-Identifier: MIT
// The target if the user names none and no GPU is present. The tools, passes that run alone and the simulator
// use this one constant, so that all of them mean the same code.
#pragma once

#include <string_view>

namespace tile {

// Hopper with its own instructions: products of warpgroups, and registers that move between roles. This code
// runs on no other GPU. If a GPU is present, its own target is used instead.
inline constexpr std::string_view default_target = "sm_90a";

}   // namespace tile
