// SPDX-License-Identifier: MIT
// Which NaN arithmetic gives on the CPU devices: one for each type, as on a GPU. What only travels keeps its
// bits.
#include "test/unit/language/run_kernel.h"

#include <gtest/gtest.h>

namespace tile::test {
namespace {

// Numbers come from `n`, which is 7, so that nothing is known before the kernel runs.
void results(Ptr<i32> out, Int n, const Config &) {
  Float zero = cast<f32>(n - 7), infinity = 1.0f / zero;
  Float negative = bitcast<f32>(n + (-0x400000 - 7)),
        other = bitcast<f32>(n + 0x7f800000);   // NaNs of both signs
  int place = 0;
  const auto put = [&](const Float &x) { store(out + place++, bitcast<i32>(x)); };
  put(infinity - infinity);
  put(negative + 1.0f);
  put(negative + other);
  put(other + negative);
  put(maximum(negative, other));
  put(minimum(other, negative, Nan::propagate));
  put(fma(negative, zero, other));
  put(sqrt(negative));
  put(exp(other));
  put(cast<f32>(cast<f16>(negative)));
  Float sum = zero;
  for (auto i : range(n)) {
    sum += where(i == 3, negative, other);
    sum -= cast<f32>(i);
  }
  put(sum);
  put(where(n > 3, infinity - infinity, other));
  store(out + place++, cast<i32>(bitcast<i16>(cast<f16>(zero) / cast<f16>(zero))));
  store(out + place++, cast<i32>(bitcast<i16>(cast<bf16>(zero) * cast<bf16>(infinity))));
  store(out + place++, cast<i32>(bitcast<i64>(cast<f64>(infinity) - cast<f64>(infinity)) >> 32));
}

void copies(Ptr<i32> out, Int n, const Config &) {
  Float raw = bitcast<f32>(n + (-0x400000 - 7 + 5));
  store(out, bitcast<i32>(raw));
  store(out + 1, bitcast<i32>(-raw));
  store(out + 2, bitcast<i32>(where(n > 3, raw, raw + 1.0f)));
  Float carried = raw;
  for (auto i : range(n))
    carried = where(i > 9, carried + 1.0f, carried);
  store(out + 3, bitcast<i32>(carried));
}

class Nans : public testing::TestWithParam<const char *> {};

TEST_P(Nans, AreOneForEachType) {
  const std::vector<i32> seen = run<&results>(7, {}, GetParam());
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(seen[i], 0x7fffffff) << "result " << i;
  EXPECT_EQ(seen[12], 0x7fff);
  EXPECT_EQ(seen[13], 0x7fff);
  EXPECT_EQ(seen[14], 0x7ff80000);
}

TEST_P(Nans, KeepTheirBitsWhereTheyTravel) {
  const std::vector<i32> seen = run<&copies>(7, {}, GetParam());
  EXPECT_EQ(seen[0], static_cast<i32>(0xffc00005));
  EXPECT_EQ(seen[1], 0x7fc00005);
  EXPECT_EQ(seen[2], static_cast<i32>(0xffc00005));
  EXPECT_EQ(seen[3], static_cast<i32>(0xffc00005));
}

INSTANTIATE_TEST_SUITE_P(Devices, Nans, testing::Values("interpreter", "simulator"));

}   // namespace
}   // namespace tile::test
