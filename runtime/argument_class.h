// SPDX-License-Identifier: MIT
// The properties of a launch argument for which a kernel can be specialised: its code relies on them.
#pragma once

#include <tile/element.h>

#include <cstdint>
#include <span>

namespace tile {

// `one`: the parameter is 1 and becomes a constant. `divisible_by_16`: the address of a pointer in bytes, or
// the positive value of an integer, is a multiple of 16.
enum class ArgClass : std::uint8_t { generic, divisible_by_16, one };

// Whether code with this specialisation still has a parameter for the argument.
constexpr bool is_passed(ArgClass c) { return c != ArgClass::one; }

// `bits` as in Argument. An address need not be positive. Zero and negative integers do not count, because
// the property is used for sizes and their remainders by positive numbers.
bool is_positive_multiple(ElementType type, std::uint64_t bits, std::uint64_t divisor);

// Reads the bits as an integer of the type. A u64 that does not fit wraps around.
std::int64_t signed_number(ElementType type, std::uint64_t bits);

// Whether code that relies on the one classes runs with arguments of the other.
bool serves(std::span<const ArgClass> code, std::span<const ArgClass> given);

// The most specific class of a value.
ArgClass class_of(ElementType type, std::uint64_t bits);

}   // namespace tile
