// SPDX-License-Identifier: MIT
#include "runtime/argument_class.h"

#include <algorithm>

namespace tile {

static bool is_positive(ElementType type, std::uint64_t bits) {
  return type.is_pointer() || (bits != 0 && (type.is_unsigned() || bits >> (type.bits() - 1) == 0));
}

bool is_positive_multiple(ElementType type, std::uint64_t bits, std::uint64_t divisor) {
  return is_positive(type, bits) && bits % divisor == 0;
}

std::int64_t signed_number(ElementType type, std::uint64_t bits) {
  const int unused = type.is_unsigned() ? 0 : 64 - type.bits();
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool serves(std::span<const ArgClass> code, std::span<const ArgClass> given) {
  return std::ranges::equal(code, given,
                            [](ArgClass of, ArgClass is) { return of == ArgClass::generic || of == is; });
}

ArgClass class_of(ElementType type, std::uint64_t bits) {
  if (!type.is_pointer() && !type.is_integer())
    return ArgClass::generic;
  if (bits == 1 && !type.is_pointer())
    return ArgClass::one;
  return bits % 16 == 0 && is_positive(type, bits) ? ArgClass::divisible_by_16 : ArgClass::generic;
}

}   // namespace tile
