// SPDX-License-Identifier: MIT
// When the simulator completes asynchronous work: copies and the matrix operations of warpgroups.
#pragma once

namespace tile {

// At once, at a random time, or as late as allowed. A kernel with correct waits always gives the same result.
enum class Completion { eager, random, latest };

}   // namespace tile
