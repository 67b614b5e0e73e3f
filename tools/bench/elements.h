// SPDX-License-Identifier: MIT
// Elements whose type is known only when the program runs, as numbers.
#pragma once

#include "runtime/element.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tile::bench {

// Bytes of elements as float64, and the other way round, rounded to the type.
void to_numbers(ElementType type, const std::byte *from, std::span<double> to);
std::vector<std::byte> from_numbers(ElementType type, std::span<const double> from);

// So many numbers as inputs are to have them: floats of the normal distribution, as zeros or small integers
// would cost less power and so run at a higher clock; integers evenly. What the type makes of them.
std::vector<double> random_numbers(ElementType type, std::size_t count, std::uint64_t seed);

}   // namespace tile::bench
