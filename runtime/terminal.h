// SPDX-License-Identifier: MIT
// How tools print errors: in colour where it is wanted. The library itself prints notes and warnings alone
// (docs/design.md).
#pragma once

#include "tile/error.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace tile {

bool is_terminal(std::FILE *stream);
// TILE_COLOR, then NO_COLOR, then whether the stream is a terminal that can.
bool wants_color(std::FILE *stream);

// The report with its parts told apart by colour.
std::string colored(std::string_view report);
// The report and a newline, coloured if the stream wants it.
void print_error(std::FILE *stream, const Error &error);

}   // namespace tile
