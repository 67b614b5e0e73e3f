// SPDX-License-Identifier: MIT
// What a kernel may be specialised for: a property of one launch argument that its code relies on.
#pragma once

#include "tile/element.h"

#include <cstdint>

namespace tile {

// A parameter that is 1 becomes a constant; one that is divisible by 16 (a pointer's address in bytes, an
// integer's value if it is positive) says so.
enum class ArgClass : std::uint8_t { generic, divisible_by_16, one };

// Whether code that is specialised so still takes the argument.
constexpr bool is_passed(ArgClass c) { return c != ArgClass::one; }

// `bits` as an Argument has them. An address needs not be positive. Zero and negative numbers are left out: a
// remainder by a positive number is what sizes are good for.
bool is_positive_multiple(ElementType type, std::uint64_t bits, std::uint64_t divisor);

// An integer by its type; one that has no bit for a sign and takes all 64 wraps around.
std::int64_t signed_number(ElementType type, std::uint64_t bits);

// The narrowest class that a value belongs to.
ArgClass class_of(ElementType type, std::uint64_t bits);

}   // namespace tile
