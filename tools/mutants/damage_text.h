// SPDX-License-Identifier: MIT
// Damage that needs no parser: lines dropped, doubled and swapped; operands, numbers, extents, types,
// attributes and names exchanged.
#pragma once

#include <random>
#include <string>

namespace tile::mutants {

using Chance = std::mt19937_64;

// A number below `end`, which is not 0.
inline std::size_t below(std::size_t end, Chance &chance) { return static_cast<std::size_t>(chance() % end); }

std::string damaged_text(std::string text, Chance &chance);

}   // namespace tile::mutants
