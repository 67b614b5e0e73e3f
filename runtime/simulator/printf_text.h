// SPDX-License-Identifier: MIT
// What the device's printf would write.
#pragma once

#include <string>

namespace tile::simulator {

// `values` lie one after the other, each aligned to its size, as vprintf of the device takes them: 32 bits,
// 64 with `ll`, doubles.
std::string printfText(const char *format, const void *values);

}   // namespace tile::simulator
