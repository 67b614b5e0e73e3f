// SPDX-License-Identifier: MIT
// What the log of an assembler says of a kernel, the driver's or a toolkit's.
#pragma once

#include <optional>
#include <string_view>

namespace tile {

// The bytes that "..., 24 bytes spill stores, 32 bytes spill loads" speaks of, the larger number; the
// registers of "Used 40 registers". Nothing where it does not.
std::optional<int> spill_bytes(std::string_view log);
std::optional<int> registers_used(std::string_view log);

}   // namespace tile
