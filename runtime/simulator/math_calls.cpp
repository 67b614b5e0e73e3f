// SPDX-License-Identifier: MIT
// The machine's approximations, here as exact as the host computes them, and conversions that the host's
// LLVM takes from a compiler's own library, which this program may not have.
#include "runtime/numeric_float.h"
#include "runtime/simulator/calls.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tile::simulator {
namespace {

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

float exp2Of(float x) { return std::exp2(x); }
float exp2OfNormal(float x) { return flushed(std::exp2(flushed(x))); }
float log2Of(float x) { return std::log2(x); }
float sqrtOf(float x) { return std::sqrt(x); }
float rsqrtOf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
float divide(float x, float y) { return x / y; }
float reciprocalOfNormal(float x) { return flushed(1 / flushed(x)); }
float towardZero(double x) {
  const float nearest = static_cast<float>(x);
  const bool isTooFar = std::abs(static_cast<double>(nearest)) > std::abs(x);
  return isTooFar ? std::nextafter(nearest, 0.0f) : nearest;
}
std::int64_t multiplyHigh(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>((static_cast<__int128>(x) * y) >> 64);
}
std::uint64_t multiplyHighUnsigned(std::uint64_t x, std::uint64_t y) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(x) * y) >> 64);
}

// A 16-bit float is passed in the lower half of a vector register, as a float is in all of it.
float inRegister(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits}); }
std::uint16_t lowerHalf(float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x)); }
// Of f64, with one rounding: to odd first, then to nearest.
float toOdd(double x) {
  const float cut = towardZero(x);
  return static_cast<double>(cut) == x || std::isnan(x) || std::isinf(x)
             ? cut
             : std::bit_cast<float>(std::bit_cast<std::uint32_t>(cut) | 1);
}
float toHalf(float x) { return inRegister(numeric::encode<f16>(x)); }
float toBrain(float x) { return inRegister(numeric::encode<bf16>(x)); }
float doubleToHalf(double x) { return toHalf(toOdd(x)); }
float doubleToBrain(double x) { return toBrain(toOdd(x)); }
float fromHalf(float x) { return numeric::decode<f16>(lowerHalf(x)); }

// Two 8-bit floats, the second in the low byte, as cvt takes its operands. A NaN has no sign.
template <class F> std::uint16_t toPair(float high, float low) {
  const auto code = [](float x) -> unsigned { return numeric::encode<F>(std::isnan(x) ? std::abs(x) : x); };
  return static_cast<std::uint16_t>(code(high) << 8 | code(low));
}
std::uint32_t fromPair(std::uint16_t codes) {
  const auto half = [](unsigned code) -> std::uint32_t {
    return numeric::encode<f16>(numeric::decode<e4m3>(static_cast<std::uint8_t>(code)));
  };
  return half(codes >> 8) << 16 | half(codes & 0xff);
}

}   // namespace

std::span<const Symbol> mathCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_exp2", addressOf(exp2Of)},
      {"tile_sim_exp2_ftz", addressOf(exp2OfNormal)},
      {"tile_sim_log2", addressOf(log2Of)},
      {"tile_sim_sqrt", addressOf(sqrtOf)},
      {"tile_sim_rsqrt", addressOf(rsqrtOf)},
      {"tile_sim_divide", addressOf(divide)},
      {"tile_sim_reciprocal_ftz", addressOf(reciprocalOfNormal)},
      {"tile_sim_toward_zero", addressOf(towardZero)},
      {"tile_sim_to_e4m3x2", addressOf(toPair<e4m3>)},
      {"tile_sim_to_e5m2x2", addressOf(toPair<e5m2>)},
      {"tile_sim_from_e4m3x2", addressOf(fromPair)},
      {"tile_sim_multiply_high", addressOf(multiplyHigh)},
      {"tile_sim_multiply_high_u", addressOf(multiplyHighUnsigned)},
      {"__truncsfhf2", addressOf(toHalf)},
      {"__truncsfbf2", addressOf(toBrain)},
      {"__truncdfhf2", addressOf(doubleToHalf)},
      {"__truncdfbf2", addressOf(doubleToBrain)},
      {"__extendhfsf2", addressOf(fromHalf)},
  };
  return table;
}

}   // namespace tile::simulator
