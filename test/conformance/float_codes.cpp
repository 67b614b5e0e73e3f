// SPDX-License-Identifier: MIT
// The codes of positive numbers grow with the numbers, in every format we have: that is all
// the search needs to know.
#include "float_codes.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace tile::conformance {

const FloatFormat &float_format(Kind kind) {
  static const FloatFormat f16_format{5, 10, true, false}, bf16_format{8, 7, true, false};
  static const FloatFormat e4m3_format{4, 3, false, true}, e5m2_format{5, 2, true, true};
  static const FloatFormat f32_format{8, 23, true, false}, f64_format{11, 52, true, false};
  switch (kind) {
  case Kind::F16:
    return f16_format;
  case Kind::BF16:
    return bf16_format;
  case Kind::E4M3:
    return e4m3_format;
  case Kind::E5M2:
    return e5m2_format;
  case Kind::F32:
    return f32_format;
  case Kind::F64:
    return f64_format;
  default:
    throw std::logic_error("not a float kind");
  }
}

std::uint64_t FloatFormat::largest() const {
  const std::uint64_t all_ones = sign_bit() - 1;
  // With infinities the largest exponent holds no numbers; without, only its last code is NaN.
  return has_infinity ? all_ones - (std::uint64_t{1} << mantissa_bits) : all_ones - 1;
}

std::uint64_t FloatFormat::quiet_nan() const {
  return has_infinity ? infinity() | (std::uint64_t{1} << (mantissa_bits - 1)) : sign_bit() - 1;
}

bool is_nan_code(const FloatFormat &format, std::uint64_t code) {
  const std::uint64_t magnitude = code & (format.sign_bit() - 1);
  return magnitude > (format.has_infinity ? format.infinity() : format.largest());
}

namespace {

long double by_definition(const FloatFormat &format, std::uint64_t code) {
  if (is_nan_code(format, code))
    return std::numeric_limits<long double>::quiet_NaN();
  const std::uint64_t magnitude = code & (format.sign_bit() - 1);
  const long double sign = code & format.sign_bit() ? -1.0L : 1.0L;
  if (format.has_infinity && magnitude == format.infinity())
    return sign * std::numeric_limits<long double>::infinity();
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const std::uint64_t one = std::uint64_t{1} << format.mantissa_bits;
  const std::uint64_t mantissa = magnitude & (one - 1);
  // Exponent 0 is the subnormals: the scale of exponent 1, without the implied one.
  const long double digits = static_cast<long double>(exponent ? one + mantissa : mantissa);
  return sign * std::ldexp(digits, (exponent ? exponent : 1) - bias - format.mantissa_bits);
}

// All numbers of a narrow format: a reference product decodes each element of it many times.
template <Kind kind> long double from_table(std::uint64_t code) {
  static const std::vector<long double> table = [] {
    const FloatFormat &format = float_format(kind);
    std::vector<long double> numbers(format.sign_bit() * 2);
    for (std::uint64_t c = 0; c < numbers.size(); ++c)
      numbers[c] = by_definition(format, c);
    return numbers;
  }();
  return table[code & (table.size() - 1)];
}

}   // namespace

long double decode(const FloatFormat &format, std::uint64_t code) {
  if (&format == &float_format(Kind::F16))
    return from_table<Kind::F16>(code);
  if (&format == &float_format(Kind::BF16))
    return from_table<Kind::BF16>(code);
  if (&format == &float_format(Kind::E4M3))
    return from_table<Kind::E4M3>(code);
  if (&format == &float_format(Kind::E5M2))
    return from_table<Kind::E5M2>(code);
  return by_definition(format, code);
}

std::uint64_t encode(const FloatFormat &format, long double value, Direction direction) {
  if (std::isnan(value))
    return format.quiet_nan();
  const std::uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
  const long double magnitude = std::fabs(value);
  const std::uint64_t largest = format.largest();

  // The greatest code whose number is not above the value.
  std::uint64_t low = 0, high = largest;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (decode(format, middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == largest) {
    if (format.saturates || (direction == Direction::toward_zero && !std::isinf(magnitude)))
      return sign | largest;
    // The number that would come next, were there one more exponent.
    const long double step = decode(format, largest) - decode(format, largest - 1);
    const bool overflows = magnitude >= decode(format, largest) + step / 2;
    return sign | (overflows ? format.infinity() : largest);
  }
  if (direction == Direction::nearest_even) {
    const long double halfway = (decode(format, low) + decode(format, low + 1)) / 2;
    if (magnitude > halfway || (magnitude == halfway && low % 2 == 1))
      ++low;
  }
  return sign | low;
}

}   // namespace tile::conformance
