// SPDX-License-Identifier: MIT
// How the interpreter keeps the elements of a tile, its lanes: densely, in row-major order, each
// in the form it has in memory. Narrow floats are their bits and are opened to f32 for each
// operation; i1 is a byte that holds 0 or 1; pointers are described in pointers.h.
#pragma once

#include "runtime/numeric.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tile::interpreter {

enum class Lane : std::uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64,
  E4M3,
  E5M2,
  Pointer,
  Descriptor
};

constexpr bool isInteger(Lane lane) { return lane <= Lane::I64; }
constexpr bool isFloat(Lane lane) { return lane >= Lane::F16 && lane <= Lane::E5M2; }

// Bytes of one lane; a descriptor's is descriptors.h's business.
constexpr std::size_t bytesOf(Lane lane) {
  switch (lane) {
  case Lane::I1:
  case Lane::I8:
  case Lane::E4M3:
  case Lane::E5M2:
    return 1;
  case Lane::I16:
  case Lane::F16:
  case Lane::BF16:
    return 2;
  case Lane::I32:
  case Lane::F32:
    return 4;
  default:
    return 8;
  }
}

const char *nameOf(Lane lane);   // "i32", "f16", "pointer"

// The value of a lane in the type that computes with it, and back with one rounding.
template <class T> constexpr auto open(T lane) {
  if constexpr (numeric::NarrowFloat<T>)
    return numeric::decode<T>(lane.bits);
  else
    return lane;
}
template <class T, class Computed> constexpr T close(Computed value) {
  if constexpr (numeric::NarrowFloat<T>)
    return T::from_bits(numeric::encode<T>(value));
  else
    return static_cast<T>(value);
}

// Calls `use` with a value of the C++ type of the lane and returns what it returns, or nothing
// (`{}`) where the family does not have the type. Signed and unsigned integers are one type
// here as in the IR; the operations know the sign.
template <class Use> auto forInteger(Lane lane, Use use) -> decltype(use(std::int32_t{})) {
  switch (lane) {
  case Lane::I8:
    return use(std::int8_t{});
  case Lane::I16:
    return use(std::int16_t{});
  case Lane::I32:
    return use(std::int32_t{});
  case Lane::I64:
    return use(std::int64_t{});
  default:
    return {};
  }
}
template <class Use> auto forFloat(Lane lane, Use use) -> decltype(use(float{})) {
  switch (lane) {
  case Lane::F16:
    return use(f16{});
  case Lane::BF16:
    return use(bf16{});
  case Lane::F32:
    return use(float{});
  case Lane::F64:
    return use(double{});
  default:
    return {};
  }
}
template <class Use> auto forAnyFloat(Lane lane, Use use) -> decltype(use(float{})) {
  switch (lane) {
  case Lane::E4M3:
    return use(e4m3{});
  case Lane::E5M2:
    return use(e5m2{});
  default:
    return forFloat(lane, use);
  }
}
// For operations that move lanes and do not look into them.
template <class Use> auto forBytes(std::size_t bytes, Use use) -> decltype(use(std::uint8_t{})) {
  switch (bytes) {
  case 1:
    return use(std::uint8_t{});
  case 2:
    return use(std::uint16_t{});
  case 4:
    return use(std::uint32_t{});
  case 8:
    return use(std::uint64_t{});
  default:
    return {};
  }
}

// A loop over lanes whose result may be the very operand, but never a shifted copy of it:
// what a vectoriser needs to know.
#if defined(__clang__)
#define TILE_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILE_LANES _Pragma("GCC ivdep")
#endif

}   // namespace tile::interpreter
