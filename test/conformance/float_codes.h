// SPDX-License-Identifier: MIT
// What each code of a float format means, from the definition of the format, and the nearest
// code of a number by search. Slow and plain on purpose: it judges the conversions that the
// devices do with shifts and adds, so it must share no idea with them.
#pragma once

#include <tile/element.h>

#include <cstdint>

namespace tile::conformance {

struct FloatFormat {
  int exponent_bits, mantissa_bits;
  bool has_infinity;   // e4m3 spends that code on numbers
  bool saturates;      // overflow gives the largest number instead of an infinity

  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (bits() - 1); }
  std::uint64_t largest() const;                             // code of the largest finite number
  std::uint64_t infinity() const { return largest() + 1; }   // only with has_infinity
  std::uint64_t quiet_nan() const;
};

const FloatFormat &float_format(Kind kind);   // of a float kind

enum class Direction { nearest_even, toward_zero };

long double decode(const FloatFormat &format, std::uint64_t code);
// One rounding of an exact value. A long double holds every i64, u64 and f64.
std::uint64_t encode(const FloatFormat &format, long double value,
                     Direction direction = Direction::nearest_even);
bool is_nan_code(const FloatFormat &format, std::uint64_t code);

}   // namespace tile::conformance
