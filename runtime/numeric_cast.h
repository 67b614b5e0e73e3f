// SPDX-License-Identifier: MIT
// The language's `cast` between any two element types, on C++ values. Float to integer truncates and
// saturates, and NaN becomes 0. Every rounding happens once.
#pragma once

#include <tile/element.h>
#include <tile/numeric_float.h>
#include <tile/numeric_int.h>

#include <concepts>
#include <limits>
#include <type_traits>

namespace tile::numeric {

template <Integer To, std::floating_point From> constexpr To saturate(From value) {
  // 2^digits is the first value that is too large. It is exact in every float type, and so is MIN.
  constexpr int digits = std::numeric_limits<To>::digits;
  constexpr From above = static_cast<From>(std::uint64_t{1} << (digits - 1)) * 2;
  constexpr From lowest = static_cast<From>(std::numeric_limits<To>::min());
  const bool high = value >= above, low = value < lowest, nan = value != value;
  const To inside = static_cast<To>(high || low || nan ? From(0) : value);
  return high ? std::numeric_limits<To>::max() : low ? std::numeric_limits<To>::min() : inside;
}

template <class To, Rounding rounding = Rounding::nearest_even, class From> constexpr To cast(From value) {
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (NarrowFloat<From>) {
    return cast<To, rounding>(decode<From>(value.bits));
  } else if constexpr (std::same_as<To, bool>) {
    return value != From(0);   // NaN is true
  } else if constexpr (std::same_as<From, bool>) {
    return cast<To, rounding>(static_cast<std::int32_t>(value));
  } else if constexpr (NarrowFloat<To>) {
    if constexpr (std::floating_point<From>)
      return To::from_bits(encode<To, rounding>(value));
    else
      return To::from_bits(encode_integer<To, rounding>(value));
  } else if constexpr (Integer<To> && std::floating_point<From>) {
    return saturate<To>(value);
  } else if constexpr (std::same_as<To, float> && std::same_as<From, double> &&
                       rounding == Rounding::toward_zero) {
    return truncate_to_float(value);
  } else {
    return static_cast<To>(value);   // integer to integer, integer to float, float to double
  }
}

}   // namespace tile::numeric
