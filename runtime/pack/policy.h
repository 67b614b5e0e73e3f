// SPDX-License-Identifier: MIT
// What launches of this process may do.
#pragma once

namespace tile {

// What a launch on a GPU does when neither a pack nor the cache has its code.
enum class Compile {
  when_needed,   // it compiles
  never,         // it ends with ErrorCode::not_prepared; nothing is compiled, tuned or written
};
struct Policy {
  Compile compile = Compile::when_needed;
};
// What TILE_COMPILE says, until set_policy() is called. Call that before the first launch.
Policy policy();
void set_policy(Policy policy);

}   // namespace tile
