// SPDX-License-Identifier: MIT
// Numbers as the bits that launches, packs and memory hold: zero-extended to 64.
#pragma once

#include <tile/element.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tile {

template <class T> constexpr std::uint64_t bits_of(T number) {
  if constexpr (std::same_as<T, bool>)
    return number;
  else if constexpr (std::integral<T>)
    return static_cast<std::make_unsigned_t<T>>(number);
  else if constexpr (std::same_as<T, f32>)
    return std::bit_cast<std::uint32_t>(number);
  else if constexpr (std::same_as<T, f64>)
    return std::bit_cast<std::uint64_t>(number);
  else
    return number.bits;   // f16
}

template <class T> constexpr T from_bits(std::uint64_t bits) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(bits);
  else if constexpr (std::integral<T>)
    return static_cast<T>(bits);
  else if constexpr (std::same_as<T, f32>)
    return std::bit_cast<f32>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::same_as<T, f64>)
    return std::bit_cast<f64>(bits);
  else
    return T::from_bits(static_cast<decltype(T::bits)>(bits));
}

// Calls f with a zero of the float type.
template <class F> auto with_float(Kind kind, F f) {
  switch (kind) {
  case Kind::F16:
    return f(f16::from_bits(0));
  case Kind::BF16:
    return f(bf16::from_bits(0));
  case Kind::E4M3:
    return f(e4m3::from_bits(0));
  case Kind::E5M2:
    return f(e5m2::from_bits(0));
  case Kind::F64:
    return f(f64());
  default:
    return f(f32());
  }
}

// The number, rounded to the float type once.
inline std::uint64_t float_to_bits(Kind kind, double number) {
  return with_float(kind, [&]<class T>(T) { return bits_of(static_cast<T>(number)); });
}
inline double bits_to_float(Kind kind, std::uint64_t bits) {
  return with_float(kind, [&]<class T>(T) { return static_cast<double>(from_bits<T>(bits)); });
}

}   // namespace tile
