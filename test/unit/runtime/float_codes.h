// SPDX-License-Identifier: MIT
// What the narrow formats are, told a second time and differently: a list of all their numbers, in
// which rounding is a search. The bit tricks of numeric_float.h are judged by it.
#pragma once

#include <tile/numeric_float.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tile::testing {

using numeric::Rounding;

struct FormatFacts {
  int exponent_bits, fraction_bits;
  unsigned last_finite;   // the code
  bool saturates;
};
template <class F> inline constexpr FormatFacts facts{};
template <> inline constexpr FormatFacts facts<f16>{5, 10, 0x7bff, false};
template <> inline constexpr FormatFacts facts<bf16>{8, 7, 0x7f7f, false};
template <> inline constexpr FormatFacts facts<e4m3>{4, 3, 0x7e, true};
template <> inline constexpr FormatFacts facts<e5m2>{5, 2, 0x7b, true};

// The definition of a binary format: sign, exponent, fraction. Codes past the last finite one give what
// the format would go on with.
template <class F> double number(unsigned code) {
  const int fraction_bits = facts<F>.fraction_bits, bias = (1 << (facts<F>.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(code >> fraction_bits);
  const double fraction = std::ldexp(code & ((1u << fraction_bits) - 1), -fraction_bits);
  return exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
}

// All non-negative finite numbers; the index is the code. One more ends the list: rounding to it is overflow.
template <class F> const std::vector<double> &numbers() {
  static const std::vector<double> list = [] {
    std::vector<double> values;
    for (unsigned code = 0; code <= facts<F>.last_finite + 1; ++code)
      values.push_back(number<F>(code));
    return values;
  }();
  return list;
}

// The magnitude's code for a value that is not NaN, without the sign. Middles of neighbours are exact
// in double, so that any type up to long double can be compared with them.
template <class F, class T> unsigned round_by_search(T value, Rounding rounding) {
  const std::vector<double> &list = numbers<F>();
  const T magnitude = value < 0 ? -value : value;
  const unsigned overflow = facts<F>.saturates ? facts<F>.last_finite : facts<F>.last_finite + 1;
  if (magnitude == std::numeric_limits<T>::infinity())
    return overflow;
  const auto above = std::upper_bound(list.begin(), list.end(), magnitude);   // the first larger number
  if (above == list.end())
    return rounding == Rounding::toward_zero ? facts<F>.last_finite : overflow;
  const unsigned code = static_cast<unsigned>(above - list.begin()) - 1;
  if (rounding == Rounding::toward_zero)
    return code;
  const T middle = static_cast<T>((list[code] + list[code + 1]) / 2);
  const unsigned nearest = magnitude < middle || (magnitude == middle && code % 2 == 0) ? code : code + 1;
  return nearest > facts<F>.last_finite ? overflow : nearest;
}

template <class F> constexpr unsigned sign_bit = 1u << (facts<F>.exponent_bits + facts<F>.fraction_bits);
template <class F> unsigned code_by_search(auto value, Rounding rounding) {
  return round_by_search<F>(value, rounding) | (std::signbit(value) ? sign_bit<F> : 0);
}

// NaN codes lie past the infinity, or where e4m3 would have one.
template <class F> bool is_nan_code(unsigned code) {
  const unsigned magnitude = code & (sign_bit<F> - 1);
  const bool has_infinity = facts<F>.last_finite != 0x7e;
  return magnitude > facts<F>.last_finite + (has_infinity ? 1 : 0);
}

}   // namespace tile::testing
