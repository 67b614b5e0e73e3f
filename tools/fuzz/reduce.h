// SPDX-License-Identifier: MIT
// Makes a program that shows a fault as small as it goes: operations are dropped or replaced by one of their
// operands or a constant, loops and branches by what is in them, axes and launches shrink, as long as the
// fault is still there.
#pragma once

#include "tools/fuzz/program.h"

#include <functional>

namespace tile::fuzz {

// `shows` is asked for each smaller program, some of which do not verify; at most `tries` times.
Program reduced(Program program, const std::function<bool(const Program &)> &shows, int tries = 2000);

}   // namespace tile::fuzz
