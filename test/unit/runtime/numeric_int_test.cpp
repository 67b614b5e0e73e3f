// SPDX-License-Identifier: MIT
// Integer arithmetic against 128-bit arithmetic: all pairs of 8-bit numbers, and the edges and random
// pairs of the wider types.
#include <tile/numeric_int.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tile::numeric {
namespace {

__extension__ using Wide = __int128;

template <class T> struct Reference {
  static constexpr int width = std::numeric_limits<std::make_unsigned_t<T>>::digits;

  // Modulo 2^width; C++20 defines the conversion so.
  static T wrap(Wide value) { return static_cast<T>(value); }
  static T quotient(T a, T b) { return b == 0 ? a : wrap(Wide(a) / Wide(b)); }
  static T remainder(T a, T b) { return b == 0 ? T(0) : wrap(Wide(a) % Wide(b)); }
  static T ceiling(T a, T b) {
    if (b == 0)
      return a;
    // Floor of (a + b - 1) / b for a positive divisor; mirrored for a negative one.
    Wide x = a, y = b;
    if (y < 0)
      x = -x, y = -y;
    Wide q = x / y;
    return wrap(q * y < x ? q + 1 : q);
  }
  static T left(T a, T amount) {
    const auto n = static_cast<std::make_unsigned_t<T>>(amount);
    T result = a;
    for (int i = 0; i < width && i < Wide(n); ++i)
      result = wrap(Wide(result) * 2);
    return Wide(n) >= width ? T(0) : result;
  }
  static T right(T a, T amount) {
    const auto n = static_cast<std::make_unsigned_t<T>>(amount);
    Wide result = a;
    for (int i = 0; i < width && i < Wide(n); ++i)
      result = result < 0 ? (result - 1) / 2 : result / 2;   // toward minus infinity
    return wrap(result);
  }
  static T high(T a, T b) {
    if constexpr (width < 64 || std::is_signed_v<T>) {
      return static_cast<T>(Wide(a) * Wide(b) >> width);
    } else {
      __extension__ using WideUnsigned = unsigned __int128;
      return static_cast<T>(WideUnsigned(a) * WideUnsigned(b) >> width);
    }
  }
};

template <class T> void expect_pair(T a, T b) {
  using R = Reference<T>;
  SCOPED_TRACE(::testing::Message() << +a << ", " << +b);
  ASSERT_EQ(add(a, b), R::wrap(Wide(a) + b));
  ASSERT_EQ(subtract(a, b), R::wrap(Wide(a) - b));
  ASSERT_EQ(multiply(a, b), static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)));
  ASSERT_EQ(negate(a), R::wrap(-Wide(a)));
  ASSERT_EQ(absolute(a), R::wrap(a < 0 ? -Wide(a) : Wide(a)));
  ASSERT_EQ(divide(a, b), R::quotient(a, b));
  ASSERT_EQ(remainder(a, b), R::remainder(a, b));
  ASSERT_EQ(ceil_divide(a, b), R::ceiling(a, b));
  ASSERT_EQ(shift_left(a, b), R::left(a, b));
  ASSERT_EQ(shift_right(a, b), R::right(a, b));
  ASSERT_EQ(multiply_high(a, b), R::high(a, b));
}

template <class T> class Integers : public ::testing::Test {};
using IntegerTypes = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                      std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, EdgesAndRandomPairs) {
  using T = TypeParam;
  std::vector<T> values;
  for (int i = -3; i <= 70; ++i)
    values.push_back(static_cast<T>(i));
  for (int i = -2; i <= 2; ++i) {
    values.push_back(static_cast<T>(add(std::numeric_limits<T>::max(), static_cast<T>(i))));
    values.push_back(static_cast<T>(std::uint64_t{1} << (Reference<T>::width / 2)));
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 100; ++i)
    values.push_back(static_cast<T>(random() >> (random() % 64)));
  for (T a : values)
    for (T b : values) {
      expect_pair(a, b);
      if (this->HasFatalFailure())
        return;
    }
}

TEST(Integers8, AllPairs) {
  for (int a = -128; a < 256; ++a)
    for (int b = -128; b < 256; ++b) {
      if (a < 128 && b < 128)
        expect_pair(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
      if (a >= 0 && b >= 0)
        expect_pair(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
      if (HasFatalFailure())
        return;
    }
}

// The rules in numbers, as the language states them.
static_assert(divide(7, 0) == 7 && remainder(7, 0) == 0 && divide(-7, 2) == -3 && remainder(-7, 2) == -1);
static_assert(divide(std::numeric_limits<std::int32_t>::min(), -1) ==
              std::numeric_limits<std::int32_t>::min());
static_assert(remainder(std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}) == 0);
static_assert(ceil_divide(std::numeric_limits<std::int32_t>::max(), 2) == 1 << 30);
static_assert(shift_left(1, 32) == 0 && shift_left(1, -1) == 0 && shift_right(-5, 40) == -1);
static_assert(shift_right(0x80000000u, 31u) == 1 && shift_right(0x80000000u, 32u) == 0);
static_assert(absolute(std::int8_t{-128}) == -128);

}   // namespace
}   // namespace tile::numeric
