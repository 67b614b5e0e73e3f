// SPDX-License-Identifier: MIT
// When asynchronous operations may complete: what holds of a kernel has to hold of all.
#pragma once

#include <tile/completion.h>

namespace tile::simulator {

constexpr Completion completions[] = {Completion::latest, Completion::eager, Completion::random};

}   // namespace tile::simulator
