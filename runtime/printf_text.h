// SPDX-License-Identifier: MIT
// What the printf of a GPU would write, for devices that print by themselves.
#pragma once

#include <string>

namespace tile {

// `values` lie one after the other, each aligned to its size, as vprintf of the device takes them: 32 bits,
// 64 with `ll`, doubles.
std::string printf_text(const char *format, const void *values);

}   // namespace tile
