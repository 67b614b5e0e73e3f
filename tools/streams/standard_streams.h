// SPDX-License-Identifier: MIT
// Standard output and standard error of a tool: what cannot be written is a failure, said once and shortly.
#pragma once

#include <string_view>

namespace tile::tool {

// Before anything else in main. A standard stream that the caller closed is held open for nothing, so that
// the next file is not opened in its place; writing to it fails.
void hold_standard_streams();

// The last act of main: what it returns. `code`, or 1 where `code` is 0 and an output did not take all that
// was written to it, which is said on standard error in one line that begins with `program`.
int finish_standard_streams(std::string_view program, int code);

}   // namespace tile::tool
