// SPDX-License-Identifier: MIT
// Softmax: rows of any length and strides, blocks of -inf, NaN and infinity.
#include "on_device.h"

#include <tile/softmax.h>

#include <limits>

namespace tile {
namespace {

using kernels::SoftmaxConfig;
using kernels::SoftmaxOptions;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
void check_values(const reference::Matrix &values, const SoftmaxOptions &options,
                  reference::Placement from = {}, reference::Placement to = {}) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(values.rows) + " x " +
               std::to_string(values.cols));
  reference::Placed<T> x(device(), "x", values.rows, values.cols, from),
      y(device(), "y", values.rows, values.cols, to);
  const reference::Matrix rounded = x.fill(values);
  y.poison();
  kernels::softmax(device(), x.view(), y.view(), options);
  device().synchronize();
  expect_result(y, reference::softmax(rounded), reference::elementwise_tolerance(element_type<T>));
}

template <class T>
void check(std::int64_t rows, std::int64_t cols, const SoftmaxOptions &options,
           reference::Placement from = {}, reference::Placement to = {}) {
  std::mt19937_64 source(static_cast<std::uint64_t>(rows * 1009 + cols));
  reference::Matrix values = reference::random_matrix(rows, cols, element_type<T>, source);
  for (double &value : values.values)
    value *= 8;
  check_values<T>(values, options, from, to);
}

const SoftmaxOptions loop{.config = SoftmaxConfig{.block = 32}};
const SoftmaxOptions whole{.config = SoftmaxConfig{.block = 128, .whole_row = true}};

template <class T> class Softmax : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(Softmax, Types);

TYPED_TEST(Softmax, LoopsOverRowsOfAnyLength) {
  for (std::int64_t cols : {1, 2, 31, 32, 33, 100, 781})
    check<TypeParam>(3, cols, loop);
  check<TypeParam>(1, 1, loop);
  check<TypeParam>(0, 50, loop);
  check<TypeParam>(5, 0, loop);
}
TYPED_TEST(Softmax, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {1, 5, 127, 128})
    check<TypeParam>(3, cols, whole);
  check<TypeParam>(5, 0, whole);
}
TYPED_TEST(Softmax, AnyStrides) {
  for (const SoftmaxOptions &options : {loop, whole})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, options, at, {});
      check<TypeParam>(5, 77, options, {}, at);
    }
}
TYPED_TEST(Softmax, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 200, 1000, 1823, 8193})
    check<TypeParam>(2, cols, {});
}

// Blocks of -inf in front of, between and behind finite elements; a row of nothing else is NaN.
TEST(SoftmaxSpecials, MinusInfinity) {
  reference::Matrix values(5, 100);
  values.values.assign(values.values.size(), -infinity);
  for (std::int64_t c = 70; c < 100; ++c)
    values.at(0, c) = static_cast<double>(c) / 10;
  for (std::int64_t c = 0; c < 10; ++c)
    values.at(1, c) = -1e30;   // exp(0 - (-1e30)) would be infinite
  values.at(2, 50) = 3;
  values.at(3, 99) = -100;
  for (const SoftmaxOptions &options : {loop, whole}) {
    check_values<f32>(values, options);
    check_values<bf16>(values, options);
  }
}
TEST(SoftmaxSpecials, HugeValues) {
  reference::Matrix values(2, 90);
  for (std::int64_t c = 0; c < 90; ++c) {
    values.at(0, c) = c % 2 ? 3e38 : -3e38;
    values.at(1, c) = static_cast<double>(c) * 1000;
  }
  for (const SoftmaxOptions &options : {loop, whole})
    check_values<f32>(values, options);
}
TEST(SoftmaxSpecials, NanAndInfinitySpreadOverTheirRow) {
  reference::Matrix values(3, 90);
  values.at(0, 40) = std::numeric_limits<double>::quiet_NaN();
  values.at(1, 40) = infinity;
  for (const SoftmaxOptions &options : {loop, whole}) {
    reference::Placed<f32> x(device(), "x", 3, 90), y(device(), "y", 3, 90);
    x.fill(values);
    y.poison();
    kernels::softmax(device(), x.view(), y.view(), options);
    const reference::Matrix got = y.download();
    for (std::int64_t c = 0; c < 90; ++c) {
      EXPECT_NE(got.at(0, c), got.at(0, c)) << c;
      EXPECT_NEAR(got.at(2, c), 1.0 / 90, 1e-6) << c;
    }
    EXPECT_NE(got.at(1, 40), got.at(1, 40));
  }
}

}   // namespace
}   // namespace tile
