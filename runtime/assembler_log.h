// SPDX-License-Identifier: MIT
// What the log of an assembler says of a kernel, the driver's or a toolkit's.
#pragma once

#include "runtime/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// The bytes that "..., 24 bytes spill stores, 32 bytes spill loads" speaks of, the larger number; the
// registers of "Used 40 registers". Nothing where it does not.
std::optional<int> spill_bytes(std::string_view log);
std::optional<int> registers_used(std::string_view log);

// Where the assembler has made code slower than it is written, in its words from the code on: "(C7510)
// Potential Performance Loss: ...". It calls that information, and goes on.
std::vector<std::string> lost_speed(std::string_view log);

// The line of PTX that a message names: "..., line 17; error ..." or "... in around line 17 by compiler ...".
std::optional<unsigned> line_named(std::string_view message);
// The line of this number, the first one is 1; empty if the text has no such line.
std::string_view line_of(std::string_view ptx, unsigned number);
// The place in the user's source that this line of PTX was made from, by the `.loc` before it; of line 0 the
// first place that the PTX has. Unknown where PTX was made without.
Location user_line(std::string_view ptx, unsigned number);

}   // namespace tile
