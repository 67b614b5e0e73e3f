// SPDX-License-Identifier: MIT
// The folders compute on APInt and APFloat, the interpreter and the host on C++ values. They are two
// implementations of one definition and must agree on every bit.
#include "dialects/tile/numerics.h"
#include "gtest/gtest.h"

#include <tile/numeric.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using llvm::APFloat;
using llvm::APInt;
using tile::ir::NanRule;
using tile::ir::Rounding;

template <class T> APInt wrap(T value) {
  return APInt(8 * sizeof(T), static_cast<std::uint64_t>(value), std::is_signed_v<T>, /*implicitTrunc=*/true);
}
template <class T> T unwrap(const APInt &value) { return static_cast<T>(value.getZExtValue()); }

template <class T>
void compare(const char *name, APInt (*folded)(const APInt &, const APInt &), T (*computed)(T, T),
             const std::vector<T> &values) {
  for (T a : values)
    for (T b : values)
      ASSERT_EQ(unwrap<T>(folded(wrap(a), wrap(b))), computed(a, b)) << name << " of " << +a << " and " << +b;
}

template <class S> void compareIntegers(const std::vector<S> &values) {
  using U = std::make_unsigned_t<S>;
  namespace numeric = tile::numeric;
  std::vector<U> unsignedValues(values.begin(), values.end());
  compare<S>("divsi", tile::ir::quotientSigned, numeric::divide<S>, values);
  compare<S>("remsi", tile::ir::remainderSigned, numeric::remainder<S>, values);
  compare<S>("ceildivsi", tile::ir::ceilingSigned, numeric::ceil_divide<S>, values);
  compare<S>("shli", tile::ir::shiftLeft, numeric::shift_left<S>, values);
  compare<S>("shrsi", tile::ir::shiftRightSigned, numeric::shift_right<S>, values);
  compare<S>("mulhisi", tile::ir::highProductSigned, numeric::multiply_high<S>, values);
  compare<U>("divui", tile::ir::quotientUnsigned, numeric::divide<U>, unsignedValues);
  compare<U>("remui", tile::ir::remainderUnsigned, numeric::remainder<U>, unsignedValues);
  compare<U>("ceildivui", tile::ir::ceilingUnsigned, numeric::ceil_divide<U>, unsignedValues);
  compare<U>("shrui", tile::ir::shiftRightUnsigned, numeric::shift_right<U>, unsignedValues);
  compare<U>("mulhiui", tile::ir::highProductUnsigned, numeric::multiply_high<U>, unsignedValues);
}

template <class T> std::vector<T> edges() {
  std::vector<T> values;
  for (int shift = 0; shift < std::numeric_limits<T>::digits; shift += 3)
    for (int offset : {-1, 0, 1})
      for (int sign : {-1, 1})
        values.push_back(static_cast<T>(sign * ((std::int64_t(1) << shift) + offset)));
  for (T value : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
    for (int offset : {-1, 0, 1})
      values.push_back(
          static_cast<T>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(offset)));
  return values;
}

TEST(Numerics, integersOfEightBitsAgreeOnAllPairs) {
  std::vector<std::int8_t> all;
  for (int value = -128; value < 128; ++value)
    all.push_back(static_cast<std::int8_t>(value));
  compareIntegers(all);
}

TEST(Numerics, wideIntegersAgreeAtTheirEdges) {
  compareIntegers(edges<std::int16_t>());
  compareIntegers(edges<std::int32_t>());
  compareIntegers(edges<std::int64_t>());
}

// Every sign, exponent and leading fraction of f32; the bits below decide ties.
std::vector<float> floats() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; ++high)
    for (std::uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  return values;
}

template <class To, tile::numeric::Rounding computed>
void compareCasts(const llvm::fltSemantics &semantics, Rounding folded) {
  for (float value : floats()) {
    const auto bits = tile::numeric::cast<To, computed>(value).bits;
    APFloat result = tile::ir::convert(APFloat(value), semantics, folded);
    if (std::isnan(value))   // the payload is anybody's
      ASSERT_TRUE(result.isNaN()) << std::bit_cast<std::uint32_t>(value);
    else
      ASSERT_EQ(result.bitcastToAPInt().getZExtValue(), bits) << value;
  }
  // From f64 there is still one rounding only: the last bit of the fraction decides a tie.
  for (float value : floats()) {
    if (std::isnan(value))
      continue;
    const double nudged = std::bit_cast<double>(std::bit_cast<std::uint64_t>(static_cast<double>(value)) | 1);
    if (std::isnan(nudged))
      continue;
    const auto bits = tile::numeric::cast<To, computed>(nudged).bits;
    APFloat result = tile::ir::convert(APFloat(nudged), semantics, folded);
    ASSERT_EQ(result.bitcastToAPInt().getZExtValue(), bits) << nudged;
  }
}

template <class To> void compareRoundings(const llvm::fltSemantics &semantics) {
  compareCasts<To, tile::numeric::Rounding::nearest_even>(semantics, Rounding::nearest_even);
  compareCasts<To, tile::numeric::Rounding::toward_zero>(semantics, Rounding::toward_zero);
}

TEST(Numerics, narrowingToF16Agrees) { compareRoundings<tile::f16>(APFloat::IEEEhalf()); }
TEST(Numerics, narrowingToBf16Agrees) { compareRoundings<tile::bf16>(APFloat::BFloat()); }
TEST(Numerics, narrowingToE4m3Agrees) { compareRoundings<tile::e4m3>(APFloat::Float8E4M3FN()); }
TEST(Numerics, narrowingToE5m2Agrees) { compareRoundings<tile::e5m2>(APFloat::Float8E5M2()); }

template <class To> void compareToInteger() {
  constexpr unsigned width = 8 * sizeof(To);
  for (float value : floats())
    ASSERT_EQ(unwrap<To>(tile::ir::toInteger(APFloat(value), width, std::is_signed_v<To>)),
              tile::numeric::cast<To>(value))
        << value;
}

TEST(Numerics, floatsTruncateAndSaturateAlike) {
  compareToInteger<std::int8_t>();
  compareToInteger<std::uint8_t>();
  compareToInteger<std::int32_t>();
  compareToInteger<std::uint32_t>();
  compareToInteger<std::int64_t>();
  compareToInteger<std::uint64_t>();
}

bool sameOrBothNaN(const APFloat &folded, float computed) {
  return folded.isNaN() ? std::isnan(computed) : folded.bitwiseIsEqual(APFloat(computed));
}

TEST(Numerics, extremaAgree) {
  namespace numeric = tile::numeric;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-45f, -1e-45f, 3.4e38f, inf, -inf, nan, -nan};
  for (float a : values)
    for (float b : values) {
      const APFloat x(a), y(b);
      EXPECT_TRUE(sameOrBothNaN(tile::ir::larger(x, y, NanRule::ignore), numeric::maximum(a, b)))
          << a << ' ' << b;
      EXPECT_TRUE(sameOrBothNaN(tile::ir::smaller(x, y, NanRule::ignore), numeric::minimum(a, b)))
          << a << ' ' << b;
      EXPECT_TRUE(sameOrBothNaN(tile::ir::larger(x, y, NanRule::propagate),
                                numeric::maximum<numeric::Nan::propagate>(a, b)))
          << a << ' ' << b;
      EXPECT_TRUE(sameOrBothNaN(tile::ir::smaller(x, y, NanRule::propagate),
                                numeric::minimum<numeric::Nan::propagate>(a, b)))
          << a << ' ' << b;
    }
}

}   // namespace
