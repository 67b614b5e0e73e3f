// SPDX-License-Identifier: MIT
// The narrow formats against their definition: every code outward, every rounding boundary inward.
#include <tile/numeric_float.h>

#include "test/unit/runtime/float_codes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace tile::testing {
namespace {

using numeric::decode;
using numeric::encode;

template <class F> class NarrowFloats : public ::testing::Test {};
using Formats = ::testing::Types<f16, bf16, e4m3, e5m2>;
TYPED_TEST_SUITE(NarrowFloats, Formats);

template <class F> void expect_code(auto value) {
  EXPECT_EQ(unsigned(encode<F>(value)), code_by_search<F>(value, Rounding::nearest_even))
      << "nearest even of " << std::hexfloat << value;
  EXPECT_EQ(unsigned(encode<F, Rounding::toward_zero>(value)),
            code_by_search<F>(value, Rounding::toward_zero))
      << "toward zero of " << std::hexfloat << value;
}

// The value, its neighbours, and all of them negated.
template <class F, class T> void expect_codes_around(T value) {
  const T infinity = std::numeric_limits<T>::infinity();
  for (T near : {value, std::nextafter(value, infinity), std::nextafter(value, -infinity)}) {
    expect_code<F>(near);
    expect_code<F>(-near);
  }
}

TYPED_TEST(NarrowFloats, EveryCodeHasItsValue) {
  using F = TypeParam;
  for (unsigned code = 0; code < 2 * sign_bit<F>; ++code) {
    const float value = decode<F>(static_cast<typename numeric::Format<F>::Bits>(code));
    const unsigned magnitude = code & (sign_bit<F> - 1);
    ASSERT_EQ(std::isnan(value), is_nan_code<F>(code)) << code;
    ASSERT_EQ(std::signbit(value), code >= sign_bit<F>) << code;
    if (is_nan_code<F>(code))
      continue;
    if (magnitude > facts<F>.last_finite)
      ASSERT_TRUE(std::isinf(value)) << code;
    else
      ASSERT_EQ(std::fabs(value), number<F>(magnitude)) << code;
  }
}

TYPED_TEST(NarrowFloats, EveryCodeComesBack) {
  using F = TypeParam;
  for (unsigned code = 0; code < 2 * sign_bit<F>; ++code) {
    const float value = decode<F>(static_cast<typename numeric::Format<F>::Bits>(code));
    const unsigned from_float = encode<F>(value), from_double = encode<F>(static_cast<double>(value));
    ASSERT_EQ(from_float, from_double);
    if (is_nan_code<F>(code))
      ASSERT_TRUE(is_nan_code<F>(from_float)) << code;
    else if (std::isfinite(value) || !facts<F>.saturates)
      ASSERT_EQ(from_float, code);
    else
      ASSERT_EQ(from_float, code - 1);   // e5m2's infinity saturates
  }
}

TYPED_TEST(NarrowFloats, EveryBoundaryRoundsOnce) {
  using F = TypeParam;
  const std::vector<double> &list = numbers<F>();
  for (std::size_t code = 0; code + 1 < list.size(); ++code) {
    const double middle = (list[code] + list[code + 1]) / 2;
    for (double value : {list[code], middle}) {
      expect_codes_around<F>(value);
      expect_codes_around<F>(static_cast<float>(value));
    }
    if (this->HasFailure())
      return;
  }
}

TYPED_TEST(NarrowFloats, ExtremesAndSpecials) {
  using F = TypeParam;
  for (float value : {0.0f, 1.0f, std::numeric_limits<float>::min(), std::numeric_limits<float>::denorm_min(),
                      std::numeric_limits<float>::max(), static_cast<float>(numbers<F>().back())})
    expect_codes_around<F>(value);
  for (double value : {std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min(),
                       std::numeric_limits<double>::max(), 0x1.ffffffp127, 0x1p-149, 0x1p-150})
    expect_codes_around<F>(value);
  for (float infinity : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    expect_code<F>(infinity);
    expect_code<F>(static_cast<double>(infinity));
  }
  for (std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0x7fffffffu}) {
    const float nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(is_nan_code<F>(encode<F>(nan)));
    EXPECT_TRUE((is_nan_code<F>(encode<F, Rounding::toward_zero>(nan))));
    EXPECT_TRUE(is_nan_code<F>(encode<F>(std::numeric_limits<double>::quiet_NaN())));
  }
}

// 2^32 in strides of a prime: each exponent, many fractions.
TYPED_TEST(NarrowFloats, FloatsEverywhere) {
  using F = TypeParam;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 9973) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (value == value) {
      ASSERT_EQ(unsigned(encode<F>(value)), code_by_search<F>(value, Rounding::nearest_even)) << bits;
    }
  }
}

// Doubles that two roundings would get wrong: near the middle of two codes, closer than a float can tell.
TYPED_TEST(NarrowFloats, DoublesBesideTheMiddles) {
  using F = TypeParam;
  std::mt19937_64 random(1);
  const std::vector<double> &list = numbers<F>();
  for (int i = 0; i < 200'000; ++i) {
    const std::size_t code = random() % (list.size() - 1);
    const double middle = (list[code] + list[code + 1]) / 2;
    const int shift = static_cast<int>(random() % 28);
    const double beside =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(middle) +
                              (std::uint64_t{1} << shift) * (random() % 2 ? 1 : ~std::uint64_t{0}));
    expect_code<F>(beside);
    if (this->HasFailure())
      return;
  }
}

TYPED_TEST(NarrowFloats, Integers) {
  using F = TypeParam;
  const auto expect = [](auto value) {
    // 64 bits are exact in x86's long double; its comparison with the list is.
    static_assert(std::numeric_limits<long double>::digits >= 64);
    const long double exact = value;
    ASSERT_EQ(unsigned(numeric::encode_integer<F>(value)), code_by_search<F>(exact, Rounding::nearest_even))
        << value;
    ASSERT_EQ((unsigned(numeric::encode_integer<F, Rounding::toward_zero>(value))),
              code_by_search<F>(exact, Rounding::toward_zero))
        << value;
  };
  for (int value = -70'000; value <= 70'000; ++value)
    expect(value);
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    // A few leading bits, then a long run of zeros or ones, then anything: the hard cases.
    const std::uint64_t head = (random() % 4096) << (random() % 52), tail = random() >> (random() % 64);
    expect(head + tail);
    expect(static_cast<std::int64_t>(head + tail));
    expect(static_cast<std::int64_t>(head - (random() % 3)));
  }
  expect(std::numeric_limits<std::int64_t>::min());
  expect(std::numeric_limits<std::int64_t>::max());
  expect(std::numeric_limits<std::uint64_t>::max());
}

TEST(WideFloats, DoubleToFloatTowardZero) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (value != value)
      continue;
    const float result = numeric::truncate_to_float(value);
    if (std::isinf(value)) {
      EXPECT_EQ(result, value);
      continue;
    }
    // The largest float that is not farther from zero.
    ASSERT_LE(std::fabs(result), std::fabs(value));
    ASSERT_GT(std::nextafter(std::fabs(static_cast<double>(result)) * (1 + 0x1p-23) + 0x1p-149, INFINITY),
              std::min(std::fabs(value), static_cast<double>(std::numeric_limits<float>::max())));
    ASSERT_EQ(std::signbit(result), std::signbit(value));
  }
  EXPECT_EQ(numeric::truncate_to_float(1 + 0x1p-24 + 0x1p-40), 1.0f);
  EXPECT_EQ(numeric::truncate_to_float(-(2 - 0x1p-30)), -std::nextafter(2.0f, 0.0f));
  EXPECT_EQ(numeric::truncate_to_float(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(numeric::truncate_to_float(-1e300), -std::numeric_limits<float>::max());
  EXPECT_EQ(numeric::truncate_to_float(1e-300), 0.0f);
  EXPECT_TRUE(std::isnan(numeric::truncate_to_float(NAN)));
}

TEST(WideFloats, Tf32KeepsTenFractionBits) {
  EXPECT_EQ(numeric::truncate_to_tf32(1 + 0x1p-10f), 1 + 0x1p-10f);
  EXPECT_EQ(numeric::truncate_to_tf32(1 + 0x1p-10f - 0x1p-23f), 1.0f);
  EXPECT_EQ(numeric::truncate_to_tf32(-1 - 0x1p-11f), -1.0f);
  EXPECT_EQ(numeric::round_to_tf32(1 + 0x1p-11f), 1.0f);   // a tie, to even
  EXPECT_EQ(numeric::round_to_tf32(1 + 0x1p-11f + 0x1p-23f), 1 + 0x1p-10f);
  EXPECT_EQ(numeric::round_to_tf32(1 + 3 * 0x1p-11f), 1 + 0x1p-9f);   // a tie, to even
  for (float infinity : {INFINITY, -INFINITY}) {
    EXPECT_EQ(numeric::truncate_to_tf32(infinity), infinity);
    EXPECT_EQ(numeric::round_to_tf32(infinity), infinity);
  }
  const float only_low_bits = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(numeric::truncate_to_tf32(only_low_bits)));
  EXPECT_TRUE(std::isnan(numeric::round_to_tf32(std::bit_cast<float>(0xffffffffu))));
}

// Constants of kernels are folded by these functions, too.
static_assert(decode<f16>(0x3c00) == 1 && encode<f16>(1.0f) == 0x3c00 && encode<f16>(65520.0f) == 0x7c00);
static_assert(encode<e4m3>(1000.0f) == 0x7e && encode<e5m2>(-1e9) == 0xfb && decode<e4m3>(0x01) == 0x1p-9f);
static_assert(numeric::encode_integer<bf16>(std::int64_t{-3}) == 0xc040);

}   // namespace
}   // namespace tile::testing
