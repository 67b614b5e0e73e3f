// SPDX-License-Identifier: MIT
// Whether two candidates computed the same.
#pragma once

#include "runtime/element.h"

#include <cstddef>
#include <span>
#include <string>

namespace tile::tuning {

// Empty where the bytes agree: bit by bit, or, of floats, as well as sums of products in another order can.
// Else where they do not: "element 5 is 2, not 1". Not for the judging of kernels: two results that are wrong
// in the same way agree.
std::string difference(ElementType type, std::span<const std::byte> got, std::span<const std::byte> expected);
// The sentence of it, for two elements.
std::string difference_text(ElementType type, std::size_t at, std::span<const std::byte> got,
                            std::span<const std::byte> expected);
// What elements may differ by, relative to the element and to the mean of all; 0: bit by bit.
double tolerance(ElementType type);

}   // namespace tile::tuning
