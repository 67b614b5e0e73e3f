// SPDX-License-Identifier: MIT
// When what the simulator does asynchronously is done: copies, and a warpgroup's matrix operations.
#pragma once

namespace tile {

// At once, at any time, or as late as is allowed. A kernel that waits as it should gives one result.
enum class Completion { eager, random, latest };

}   // namespace tile
