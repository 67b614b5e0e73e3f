// SPDX-License-Identifier: MIT
// What a conversion means, and the inputs at which conversions go wrong.
#pragma once

#include "context.h"
#include "float_codes.h"

namespace tile::conformance {

// out[i] = cast of x[i] to out's type.
void convert(const Array &x, Array &out, std::size_t i, Direction direction = Direction::nearest_even);

// Numbers of `from` at and next to every place where rounding to the float format `to` changes
// its mind: its numbers and the points halfway between them, at most `most` of them.
Array rounding_boundaries(Context &t, ElementType from, Kind to, std::size_t most);

}   // namespace tile::conformance
