// SPDX-License-Identifier: MIT
// Which lines of the user's source the assembler keeps values in memory for, because registers are too few.
#pragma once

#include "runtime/error.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tile {

struct SpilledLine {
  Location where;               // the column is not known
  int stored = 0, loaded = 0;   // bytes of a thread, by all instructions of this line
};

// The lines with the most bytes first. `cubin`: machine code of one kernel, assembled with the lines of its
// source; `log`: what the assembler said of it. Empty where nothing is spilled, where lines are not known,
// and where the instructions that are found do not add up to what the log says.
std::vector<SpilledLine> spilled_lines(std::span<const std::byte> cubin, std::string_view log);

}   // namespace tile
