// SPDX-License-Identifier: MIT
// `cast` between all element types: saturation, truncation, one rounding, booleans.
#include <tile/numeric_cast.h>

#include "test/unit/runtime/float_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tile::testing {
namespace {

using numeric::cast;

template <class T> class FloatToInteger : public ::testing::Test {};
using IntegerTypes = ::testing::Types<i8, i16, i32, i64, u8, u16, u32, u64>;
TYPED_TEST_SUITE(FloatToInteger, IntegerTypes);

// x86's long double holds every integer and every float exactly.
template <class To> To truncate_by_definition(long double value) {
  if (std::isnan(value))
    return 0;
  const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  const long double whole = std::trunc(value);
  return whole < low    ? std::numeric_limits<To>::min()
         : whole > high ? std::numeric_limits<To>::max()
                        : static_cast<To>(whole);
}

template <class To, class From> void expect_truncation() {
  std::vector<From> values{0,
                           From(-0.0),
                           INFINITY,
                           -INFINITY,
                           std::numeric_limits<From>::max(),
                           std::numeric_limits<From>::lowest(),
                           std::numeric_limits<From>::denorm_min(),
                           NAN};
  for (int exponent = -2; exponent <= 65; ++exponent)
    for (From value : {std::ldexp(From(1), exponent), std::ldexp(From(1.75), exponent)})
      for (From near : {value, std::nextafter(value, From(0)), std::nextafter(value, From(INFINITY)),
                        value - 1, value + From(0.5)})
        values.insert(values.end(), {near, -near});
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i)
    values.push_back(std::ldexp(From(random()), -static_cast<int>(random() % 70)) * (random() % 2 ? 1 : -1));
  for (From value : values)
    ASSERT_EQ(+cast<To>(value), +truncate_by_definition<To>(value)) << std::hexfloat << value;
}

TYPED_TEST(FloatToInteger, TruncatesAndSaturates) {
  expect_truncation<TypeParam, float>();
  expect_truncation<TypeParam, double>();
}

TYPED_TEST(FloatToInteger, FromEveryNarrowCode) {
  for (unsigned code = 0; code < 65536; ++code) {
    const f16 half = f16::from_bits(static_cast<u16>(code));
    ASSERT_EQ(+cast<TypeParam>(half), +truncate_by_definition<TypeParam>(float(half))) << code;
    const bf16 brain = bf16::from_bits(static_cast<u16>(code));
    ASSERT_EQ(+cast<TypeParam>(brain), +truncate_by_definition<TypeParam>(float(brain))) << code;
  }
  for (unsigned code = 0; code < 256; ++code) {
    const e4m3 small = e4m3::from_bits(static_cast<u8>(code));
    ASSERT_EQ(+cast<TypeParam>(small), +truncate_by_definition<TypeParam>(float(small))) << code;
    const e5m2 wide = e5m2::from_bits(static_cast<u8>(code));
    ASSERT_EQ(+cast<TypeParam>(wide), +truncate_by_definition<TypeParam>(float(wide))) << code;
  }
}

template <class From, class To> void expect_narrowing() {
  for (unsigned code = 0; code < 2 * sign_bit<From>; ++code) {
    const From value = From::from_bits(static_cast<decltype(From::bits)>(code));
    const unsigned result = cast<To>(value).bits;
    if (is_nan_code<From>(code))
      ASSERT_TRUE(is_nan_code<To>(result)) << code;
    else
      ASSERT_EQ(result, code_by_search<To>(float(value), Rounding::nearest_even)) << code;
  }
}

TEST(NarrowToNarrow, EveryCodeRoundsOnce) {
  expect_narrowing<f16, bf16>();
  expect_narrowing<f16, e4m3>();
  expect_narrowing<f16, e5m2>();
  expect_narrowing<bf16, f16>();
  expect_narrowing<bf16, e4m3>();
  expect_narrowing<bf16, e5m2>();
  expect_narrowing<e4m3, f16>();
  expect_narrowing<e4m3, bf16>();
  expect_narrowing<e4m3, e5m2>();
  expect_narrowing<e5m2, f16>();
  expect_narrowing<e5m2, bf16>();
  expect_narrowing<e5m2, e4m3>();
}

TEST(Cast, BooleansAreZeroAndOne) {
  EXPECT_TRUE(cast<bool>(NAN));
  EXPECT_TRUE(cast<bool>(f16::from_bits(0x7e00)));
  EXPECT_TRUE(cast<bool>(f16::from_bits(0x0001)));
  EXPECT_FALSE(cast<bool>(-0.0));
  EXPECT_FALSE(cast<bool>(e4m3::from_bits(0x80)));
  EXPECT_TRUE(cast<bool>(i64{1} << 40));
  EXPECT_EQ(cast<i8>(true), 1);
  EXPECT_EQ(float(cast<bf16>(true)), 1.0f);
  EXPECT_EQ(cast<double>(false), 0.0);
}

TEST(Cast, IntegersWidenBySourceAndDropHighBits) {
  EXPECT_EQ(cast<i64>(i8{-1}), -1);
  EXPECT_EQ(cast<u64>(i8{-1}), ~u64{0});
  EXPECT_EQ(cast<i64>(u8{255}), 255);
  EXPECT_EQ(cast<i8>(i32{0x1ff}), -1);
  EXPECT_EQ(cast<u16>(i32{-1}), 65535);
}

TEST(Cast, IntegersRoundOnceToFloats) {
  EXPECT_EQ(cast<float>(i32{(1 << 24) + 1}), 0x1p24f);
  EXPECT_EQ(cast<float>(i32{(1 << 24) + 3}), 0x1p24f + 4);
  // Through double this would be a tie first, and even then.
  EXPECT_EQ(cast<float>((u64{1} << 54) + (u64{1} << 30) + 1), 0x1p54f + 0x1p31f);
  EXPECT_EQ(cast<bf16>((i64{1} << 62) + (i64{1} << 54) + 1).bits,
            cast<bf16>((i64{1} << 62) + (i64{1} << 55)).bits);
  EXPECT_TRUE(std::isinf(float(cast<f16>(65520))));
  EXPECT_EQ(float(cast<f16>(65519)), 65504.0f);
  EXPECT_EQ(float(cast<e4m3>(-1000)), -448.0f);
}

TEST(Cast, RoundingTowardZeroIsNamed) {
  EXPECT_EQ((cast<f16, Rounding::toward_zero>(1e9f).bits), 0x7bff);
  EXPECT_EQ((cast<bf16, Rounding::toward_zero>(1.99999f).bits), 0x3fff);
  EXPECT_EQ((cast<float, Rounding::toward_zero>(1.9999999999)), std::nextafter(2.0f, 0.0f));
  EXPECT_EQ((cast<f16, Rounding::toward_zero>(double(INFINITY)).bits), 0x7c00);
}

}   // namespace
}   // namespace tile::testing
