// SPDX-License-Identifier: MIT
// Printing of errors in tools, in colour if the user wants it. The library itself prints only notes and
// warnings (docs/design.md).
#pragma once

#include <tile/error.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace tile {

bool is_terminal(std::FILE *stream);
// TILE_COLOR decides, then NO_COLOR, then whether the stream is a terminal with colours.
bool wants_color(std::FILE *stream);

// The report with colours for its parts.
std::string colored(std::string_view report);
// The report and a newline, coloured if the stream wants it.
void print_error(std::FILE *stream, const Error &error);

}   // namespace tile
