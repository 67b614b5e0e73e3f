// SPDX-License-Identifier: MIT
// The narrow float formats, bit by bit: f16, bf16, e4m3 and e5m2 to and from float and double with exactly
// one rounding. The interpreter, the host types and all references compute with these functions, so a
// difference between them can only be a bug elsewhere. No function branches on values, so a loop over a tile
// becomes vector code.
#pragma once

#include <tile/element.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tile::numeric {

enum class Rounding { nearest_even, toward_zero };

namespace detail {
template <class BitsType, int ExponentBits, int FractionBits> struct Layout {
  using Bits = BitsType;
  static constexpr int width = 1 + ExponentBits + FractionBits;
  static constexpr int fraction_bits = FractionBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t infinity = ((1u << ExponentBits) - 1) << FractionBits;
};
}   // namespace detail

// The properties of a format that encode and decode need: the code of the largest finite number, the code of
// the NaN that conversions produce, whether the format has infinities (it tells which codes are NaN), and
// whether a too large number becomes the largest finite number instead of an infinity.
template <class F> struct Format;
template <> struct Format<f16> : detail::Layout<std::uint16_t, 5, 10> {
  static constexpr std::uint32_t largest = 0x7bff, nan = 0x7fff;
  static constexpr bool has_infinity = true, saturates = false;
};
template <> struct Format<bf16> : detail::Layout<std::uint16_t, 8, 7> {
  static constexpr std::uint32_t largest = 0x7f7f, nan = 0x7fff;
  static constexpr bool has_infinity = true, saturates = false;
};
template <> struct Format<e4m3> : detail::Layout<std::uint8_t, 4, 3> {
  static constexpr std::uint32_t largest = 0x7e, nan = 0x7f;
  static constexpr bool has_infinity = false, saturates = true;
};
template <> struct Format<e5m2> : detail::Layout<std::uint8_t, 5, 2> {
  static constexpr std::uint32_t largest = 0x7b, nan = 0x7f;
  static constexpr bool has_infinity = true, saturates = true;
};

template <class T>
concept NarrowFloat =
    std::same_as<T, f16> || std::same_as<T, bf16> || std::same_as<T, e4m3> || std::same_as<T, e5m2>;

namespace detail {
// A choice without a branch. With a branch, the compiler could move the computation of an operand into an
// arm. Float arithmetic there would prevent vectorisation, because it may raise a flag.
constexpr std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0 - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}
}   // namespace detail

// The value of a code. It is exact.
template <NarrowFloat F> constexpr float decode(typename Format<F>::Bits code) {
  using Form = Format<F>;
  constexpr int shift = 23 - Form::fraction_bits;
  const std::uint32_t wide = code;
  const std::uint32_t sign = (wide >> (Form::width - 1)) << 31;
  const std::uint32_t magnitude = wide & ((1u << (Form::width - 1)) - 1);
  if constexpr (Form::bias == 127) {
    return std::bit_cast<float>(sign | magnitude << shift);
  } else {
    constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - Form::bias) << 23;
    constexpr std::uint32_t one_more = rebias + (1u << 23);
    const std::uint32_t normal = (magnitude << shift) + rebias;
    // A subnormal code m counts multiples of the smallest number. With the exponent of the smallest normal
    // number, its value is 2^emin + m * smallest; the subtraction of 2^emin is exact.
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(
        std::bit_cast<float>((magnitude << shift) + one_more) - std::bit_cast<float>(one_more));
    std::uint32_t result = detail::select(magnitude < (1u << Form::fraction_bits), subnormal, normal);
    if constexpr (Form::has_infinity)
      result |= detail::select(magnitude >= Form::infinity, 0x7f800000u, 0);
    else
      result |= detail::select(magnitude == Form::nan, 0x7fc00000u, 0);
    return std::bit_cast<float>(result | sign);
  }
}

// The code nearest to a value. If the value is too large for the format, the result is infinity, or the
// largest finite number if the format saturates or rounding is toward zero. NaN keeps its sign.
template <NarrowFloat F, Rounding rounding = Rounding::nearest_even>
constexpr typename Format<F>::Bits encode(float value) {
  using Form = Format<F>;
  constexpr bool nearest = rounding == Rounding::nearest_even;
  constexpr int dropped = 23 - Form::fraction_bits;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 << (Form::width - 1);
  const std::uint32_t magnitude = bits & 0x7fffffffu;

  // Add half of the last kept unit, or one less if the kept part is even. A carry out of the fraction
  // correctly raises the exponent.
  std::uint32_t result = magnitude;
  if constexpr (nearest)
    result += (1u << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
  result = (result >> dropped) - (static_cast<std::uint32_t>(127 - Form::bias) << Form::fraction_bits);

  if constexpr (Form::bias != 127) {
    constexpr std::uint32_t smallest_normal = static_cast<std::uint32_t>(128 - Form::bias) << 23;
    const bool is_small = magnitude < smallest_normal;
    const float small = std::bit_cast<float>(detail::select(is_small, magnitude, 0));
    std::uint32_t subnormal;
    if constexpr (nearest) {
      // The last place of this float has the value of the format's smallest number, so the addition rounds.
      constexpr std::uint32_t magic = static_cast<std::uint32_t>(128 - Form::bias + dropped) << 23;
      subnormal = std::bit_cast<std::uint32_t>(small + std::bit_cast<float>(magic)) - magic;
    } else {
      // Scale so that the format's smallest number is 1. The conversion to an integer truncates.
      constexpr std::uint32_t scale = static_cast<std::uint32_t>(126 + Form::bias + Form::fraction_bits)
                                      << 23;
      subnormal = static_cast<std::uint32_t>(static_cast<std::int32_t>(small * std::bit_cast<float>(scale)));
    }
    result = detail::select(is_small, subnormal, result);
  }

  constexpr std::uint32_t limit = Form::saturates || !nearest ? Form::largest : Form::infinity;
  result = std::min(result, limit);
  if constexpr (!Form::saturates && !nearest)
    result = detail::select(magnitude == 0x7f800000u, Form::infinity, result);
  result = detail::select(magnitude > 0x7f800000u, Form::nan, result);
  return static_cast<typename Form::Bits>(result | sign);
}

// Replaces any NaN by the one NaN that the arithmetic of a GPU produces for all operands. An x86 produces a
// different NaN or returns that of an operand, so a + b and b + a could differ.
template <std::floating_point T> constexpr T canonical(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr T nan = std::bit_cast<T>(static_cast<Bits>(sizeof(T) == 4 ? 0x7fffffff : 0x7ff8000000000000));
  return value == value ? value : nan;
}
template <NarrowFloat F> constexpr F canonical(F value) {
  using Form = Format<F>;
  const std::uint32_t magnitude = value.bits & ((1u << (Form::width - 1)) - 1);
  const bool is_nan = Form::has_infinity ? magnitude > Form::infinity : magnitude == Form::nan;
  return F::from_bits(static_cast<typename Form::Bits>(detail::select(is_nan, Form::nan, value.bits)));
}

// Narrows to float so that a second rounding gives the same as one rounding of the double. An inexact result
// gets an odd last bit, so it is never on a boundary of the second rounding and never a tie. Overflow gives
// the largest finite float (odd), underflow the smallest.
constexpr float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const double error = static_cast<double>(nearest) - value;
  const bool inexact = static_cast<double>(nearest) != value && value == value;
  const bool away = (error > 0) == (value > 0);   // |nearest| > |value|
  const std::uint32_t odd = bits & 1 ? bits : away ? bits - 1 : bits + 1;
  return std::bit_cast<float>(inexact ? odd : bits);
}

template <NarrowFloat F, Rounding rounding = Rounding::nearest_even>
constexpr typename Format<F>::Bits encode(double value) {
  return encode<F, rounding>(round_to_odd(value));
}

// double to float, rounded toward zero. For rounding to nearest even use static_cast.
constexpr float truncate_to_float(double value) {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const double difference = static_cast<double>(nearest) - value;
  const bool away = value > 0 ? difference > 0 : difference < 0;
  return std::bit_cast<float>(away ? bits - 1 : bits);
}

// Integers to narrow formats with one rounding. 64 bits do not fit a double: if a dropped bit is set, the
// last kept bit is set, too, which only means "not exact".
template <NarrowFloat F, Rounding rounding = Rounding::nearest_even, std::integral I>
constexpr typename Format<F>::Bits encode_integer(I value) {
  if constexpr (sizeof(I) < 8) {
    return encode<F, rounding>(static_cast<double>(value));
  } else {
    const bool negative = value < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const std::uint64_t sticky =
        magnitude >> 53 ? (magnitude | ((magnitude & 0xfff) != 0 ? 0x1000 : 0)) & ~0xfffull : magnitude;
    const double exact = static_cast<double>(sticky);
    return encode<F, rounding>(negative ? -exact : exact);
  }
}

// tf32 of the matrix units: 8 exponent and 10 fraction bits, stored as a float. The unit ignores the low 13
// bits. A NaN stays a NaN.
constexpr float truncate_to_tf32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return std::bit_cast<float>((bits | (nan ? 0x00400000u : 0u)) & ~0x1fffu);
}
constexpr float round_to_tf32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const std::uint32_t rounded = bits + 0xfff + (bits >> 13 & 1);
  return std::bit_cast<float>((nan ? bits | 0x00400000u : rounded) & ~0x1fffu);
}

}   // namespace tile::numeric
