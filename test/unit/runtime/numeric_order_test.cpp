// SPDX-License-Identifier: MIT
// Extrema with their NaN rules, and the total order of atomics, over all pairs of special values.
#include <tile/numeric_order.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tile::numeric {
namespace {

template <class T> class Orders : public ::testing::Test {
 public:
  using Limits = std::numeric_limits<T>;
  // In the language's order; NaNs apart.
  const std::vector<T> rising{
      -Limits::infinity(),  Limits::lowest(), T(-1), -Limits::min(), -Limits::denorm_min(), T(-0.0), T(0.0),
      Limits::denorm_min(), Limits::min(),    T(1),  Limits::max(),  Limits::infinity()};
  const T nan = Limits::quiet_NaN();
};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Orders, FloatTypes);

// Bit equality, but any NaN equals any other.
template <class T> bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TYPED_TEST(Orders, ExtremaOfNumbers) {
  for (std::size_t i = 0; i < this->rising.size(); ++i)
    for (std::size_t j = 0; j < this->rising.size(); ++j) {
      const TypeParam a = this->rising[i], b = this->rising[j];
      const TypeParam high = this->rising[std::max(i, j)], low = this->rising[std::min(i, j)];
      EXPECT_TRUE(same(maximum(a, b), high)) << a << " " << b;
      EXPECT_TRUE(same(minimum(a, b), low)) << a << " " << b;
      EXPECT_TRUE(same(maximum<Nan::propagate>(a, b), high)) << a << " " << b;
      EXPECT_TRUE(same(minimum<Nan::propagate>(a, b), low)) << a << " " << b;
      EXPECT_TRUE(same(atomic_maximum(a, b), high)) << a << " " << b;
      EXPECT_TRUE(same(atomic_minimum(a, b), low)) << a << " " << b;
    }
}

TYPED_TEST(Orders, NanRules) {
  const TypeParam nan = this->nan;
  for (TypeParam x : this->rising) {
    for (TypeParam sign : {TypeParam(1), TypeParam(-1)}) {
      const TypeParam n = std::copysign(nan, sign);
      EXPECT_TRUE(same(maximum(n, x), x) && same(maximum(x, n), x));
      EXPECT_TRUE(same(minimum(n, x), x) && same(minimum(x, n), x));
      EXPECT_TRUE(std::isnan(maximum<Nan::propagate>(n, x)) && std::isnan(maximum<Nan::propagate>(x, n)));
      EXPECT_TRUE(std::isnan(minimum<Nan::propagate>(n, x)) && std::isnan(minimum<Nan::propagate>(x, n)));
    }
    // By bit patterns a NaN is beyond the infinity of its sign.
    EXPECT_TRUE(std::isnan(atomic_maximum(nan, x)) && std::isnan(atomic_maximum(x, nan)));
    EXPECT_TRUE(same(atomic_minimum(nan, x), x));
    EXPECT_TRUE(same(atomic_maximum(x, std::copysign(nan, TypeParam(-1))), x));
    EXPECT_TRUE(std::isnan(atomic_minimum(x, std::copysign(nan, TypeParam(-1)))));
  }
  EXPECT_TRUE(std::isnan(maximum(nan, nan)));
  EXPECT_TRUE(std::isnan(minimum(nan, nan)));
}

TYPED_TEST(Orders, Clamp) {
  using T = TypeParam;
  EXPECT_EQ(clamp(T(5), T(0), T(1)), T(1));
  EXPECT_EQ(clamp(T(-5), T(0), T(1)), T(0));
  EXPECT_EQ(clamp(T(0.5), T(0), T(1)), T(0.5));
  EXPECT_EQ(clamp(T(0.5), T(3), T(2)), T(2));   // low > high
  EXPECT_EQ(clamp(this->nan, T(0), T(1)), T(0));
  EXPECT_TRUE(std::isnan(clamp<Nan::propagate>(this->nan, T(0), T(1))));
  EXPECT_TRUE(std::isnan(clamp<Nan::propagate>(T(0), T(0), this->nan)));
}

TYPED_TEST(Orders, TotalOrderRises) {
  std::vector<TypeParam> all{std::copysign(this->nan, TypeParam(-1))};
  all.insert(all.end(), this->rising.begin(), this->rising.end());
  all.push_back(this->nan);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LT(total_order(all[i - 1]), total_order(all[i])) << all[i];
}

static_assert(maximum(-0.0f, 0.0f) == 0 && std::bit_cast<std::uint32_t>(maximum(-0.0f, 0.0f)) == 0);
static_assert(std::bit_cast<std::uint32_t>(minimum(0.0f, -0.0f)) == 0x80000000u);

}   // namespace
}   // namespace tile::numeric
