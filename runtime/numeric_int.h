// SPDX-License-Identifier: MIT
// The integer arithmetic of the language. All results are defined: overflow wraps, a zero divisor acts as 1,
// MIN / -1 is MIN, and a shift by too many bits gives the same as infinitely many shifts by one bit. The C++
// type says whether a number is signed.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tile::numeric {

template <class T>
concept Integer = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

namespace detail {
// Converts to a type that is unsigned and wide, so that promotion and overflow do no harm.
template <Integer T> constexpr std::uint64_t widen(T value) { return static_cast<std::uint64_t>(value); }
}   // namespace detail

template <Integer T> constexpr T add(T a, T b) { return static_cast<T>(detail::widen(a) + detail::widen(b)); }
template <Integer T> constexpr T subtract(T a, T b) {
  return static_cast<T>(detail::widen(a) - detail::widen(b));
}
template <Integer T> constexpr T multiply(T a, T b) {
  return static_cast<T>(detail::widen(a) * detail::widen(b));
}
template <Integer T> constexpr T negate(T a) { return static_cast<T>(0 - detail::widen(a)); }
template <Integer T> constexpr T absolute(T a) { return a < 0 ? negate(a) : a; }   // MIN for MIN

// The divisors 0 and, for signed types, -1 need care: a / 0 = a; a / -1 = -a, which wraps.
template <Integer T> constexpr T divide(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const bool special = b == 0 || b == -1;
    const T quotient = static_cast<T>(a / (special ? T(1) : b));
    return b == -1 ? negate(a) : quotient;
  } else {
    return static_cast<T>(a / (b == 0 ? T(1) : b));
  }
}
template <Integer T> constexpr T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a % (b == 0 || b == -1 ? T(1) : b));
  else
    return static_cast<T>(a % (b == 0 ? T(1) : b));
}

// The exact ceiling. It does not compute a + b - 1, which could overflow.
template <Integer T> constexpr T ceil_divide(T a, T b) {
  const T quotient = divide(a, b);
  const bool inexact = remainder(a, b) != 0;
  return static_cast<T>(quotient + (inexact && (a < 0) == (b < 0)));
}

// The amount is read as unsigned, so a negative amount shifts out all bits.
template <Integer T> constexpr T shift_left(T a, T amount) {
  using U = std::make_unsigned_t<T>;
  constexpr U width = std::numeric_limits<U>::digits;
  const U n = static_cast<U>(amount);
  return n >= width ? T(0) : static_cast<T>(detail::widen(a) << n);
}
template <Integer T> constexpr T shift_right(T a, T amount) {
  using U = std::make_unsigned_t<T>;
  constexpr U width = std::numeric_limits<U>::digits;
  const U n = static_cast<U>(amount);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n >= width ? width - 1 : n));
  else
    return n >= width ? T(0) : static_cast<T>(a >> n);
}

// The upper half of the product, computed in twice the width.
template <Integer T> constexpr T multiply_high(T a, T b) {
  constexpr int width = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  if constexpr (width < 64) {
    // Not wider than needed: g++ 12 vectorises the 64-bit product of 16-bit numbers as a signed one.
    using Signed = std::conditional_t<width <= 16, std::int32_t, std::int64_t>;
    using Wide = std::conditional_t<std::is_signed_v<T>, Signed, std::make_unsigned_t<Signed>>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> width);
  } else {
    // Schoolbook multiplication with 32-bit digits, then a correction for signs: a negative a read as
    // unsigned is 2^64 too large, so the upper half is too large by b.
    const std::uint64_t x = detail::widen(a), y = detail::widen(b);
    const std::uint64_t xl = x & 0xffffffff, xh = x >> 32, yl = y & 0xffffffff, yh = y >> 32;
    const std::uint64_t low = xl * yl, first = xh * yl + (low >> 32), second = xl * yh + (first & 0xffffffff);
    std::uint64_t high = xh * yh + (first >> 32) + (second >> 32);
    if constexpr (std::is_signed_v<T>)
      high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
    return static_cast<T>(high);
  }
}

}   // namespace tile::numeric
