// SPDX-License-Identifier: MIT
// The order of floats. Two orders exist: `maximum` and `minimum` have a rule for NaN; atomic max and min
// compare bit patterns. In both orders -0 < +0.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tile::numeric {

enum class Nan {
  ignore,      // the result is the other operand; NaN only if both are NaN
  propagate,   // NaN if one operand is NaN
};

namespace detail {
template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
}

template <Nan rule = Nan::ignore, std::floating_point T> constexpr T maximum(T a, T b) {
  using Bits = detail::BitsOf<T>;
  // Equal operands can differ only in the sign of a zero; `and` clears it.
  const T equal = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b)));
  T result = a > b ? a : a < b ? b : equal;
  if constexpr (rule == Nan::ignore)
    return a != a ? b : b != b ? a : result;
  else
    return a != a ? a : b != b ? b : result;
}
template <Nan rule = Nan::ignore, std::floating_point T> constexpr T minimum(T a, T b) {
  using Bits = detail::BitsOf<T>;
  const T equal = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b)));
  T result = a < b ? a : a > b ? b : equal;
  if constexpr (rule == Nan::ignore)
    return a != a ? b : b != b ? a : result;
  else
    return a != a ? a : b != b ? b : result;
}
// With `ignore`, a NaN becomes `low`. If low > high, the result is high.
template <Nan rule = Nan::ignore, std::floating_point T> constexpr T clamp(T value, T low, T high) {
  return minimum<rule>(maximum<rule>(value, low), high);
}

// A signed integer with the same order as the float:
// -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
template <std::floating_point T> constexpr detail::BitsOf<T> total_order(T value) {
  using Bits = detail::BitsOf<T>;
  const Bits bits = std::bit_cast<Bits>(value);
  return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
}
template <std::floating_point T> constexpr T atomic_maximum(T a, T b) {
  return total_order(a) < total_order(b) ? b : a;
}
template <std::floating_point T> constexpr T atomic_minimum(T a, T b) {
  return total_order(b) < total_order(a) ? b : a;
}

}   // namespace tile::numeric
