// SPDX-License-Identifier: MIT
// Softmax and its logarithm: rows of any length and strides, in place, blocks of -inf, NaN and infinity.
#include "row_operands.h"

#include <tile/softmax.h>

#include <cmath>
#include <limits>

namespace tile {
namespace {

using kernels::Numerics;
using kernels::SoftmaxConfig;
using kernels::SoftmaxOptions;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

enum class Function { softmax, logarithm };
constexpr Function both[] = {Function::softmax, Function::logarithm};

template <class T>
void run(Function function, const MatrixView<T> &x, const MatrixView<T> &y, const SoftmaxOptions &options) {
  function == Function::softmax ? kernels::softmax(device(), x, y, options)
                                : kernels::log_softmax(device(), x, y, options);
  device().synchronize();
}

// Logarithms are differences of numbers of about 10.
template <class T>
void expect_function(Function function, reference::Placed<T> &y, const reference::Matrix &exact) {
  SCOPED_TRACE(function == Function::softmax ? "softmax" : "log_softmax");
  auto tolerance = reference::elementwise_tolerance(element_type<T>);
  if (function == Function::logarithm)
    tolerance.absolute = 1e-5;
  expect_result(y, function == Function::softmax ? reference::softmax(exact) : reference::log_softmax(exact),
                tolerance);
}

template <class T>
void check_values(const reference::Matrix &values, const SoftmaxOptions &options,
                  reference::Placement from = {}, reference::Placement to = {}) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(values.rows) + " x " +
               std::to_string(values.cols));
  for (const Function function : both) {
    reference::Placed<T> x(device(), "x", values.rows, values.cols, from),
        y(device(), "y", values.rows, values.cols, to);
    const reference::Matrix exact = x.fill(values);
    y.poison();
    run(function, x.view(), y.view(), options);
    expect_function(function, y, exact);
  }
}

template <class T>
void check(std::int64_t rows, std::int64_t cols, const SoftmaxOptions &options,
           reference::Placement from = {}, reference::Placement to = {}) {
  check_values<T>(Filled<T>("x", rows, cols, {}, 0, 8).values, options, from, to);
}

const SoftmaxOptions loop{.config = SoftmaxConfig{.block = 32}};
const SoftmaxOptions whole{.config = SoftmaxConfig{.block = 128, .whole_row = true}};
const SoftmaxOptions several{.config = SoftmaxConfig{.rows = 4, .block = 128, .whole_row = true}};

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
// The last program has fewer rows than the others.
TYPED_TEST(Softmax, SeveralRowsOfAProgram) {
  on_both_devices([] {
    for (const SoftmaxConfig &config : configs_of_several_rows) {
      for (std::int64_t rows : {1, 5, 17})
        check<TypeParam>(rows, 100, {.config = config});
      check<TypeParam>(5, 128, {.config = config}, {.padding = 8}, {});
      check<TypeParam>(5, 77, {.config = config}, {.by_columns = true}, {.step = 2, .shift = 1});
    }
  });
  for (std::int64_t rows : {0, 4, 5})
    for (std::int64_t cols : {0, 1, 127, 128})
      check<TypeParam>(rows, cols, several);
}
TYPED_TEST(Softmax, AnyStrides) {
  for (const SoftmaxOptions &options : {loop, whole, several})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, options, at, {});
      check<TypeParam>(5, 77, options, {}, at);
    }
}
TYPED_TEST(Softmax, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 200, 1000, 1823, 8193})
    for (Numerics numerics : {Numerics::any, Numerics::batch_invariant})
      check<TypeParam>(2, cols, {.numerics = numerics});
}
TYPED_TEST(Softmax, InPlace) {
  on_both_devices([] {
    for (const SoftmaxOptions &options : {loop, whole, several})
      for (const Function function : both) {
        Filled<TypeParam> x("x", 5, 99, {.padding = 3}, 0, 8);
        run(function, x.view(), x.view(), options);
        expect_function(function, x.memory, x.values);
      }
  });
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
  for (const SoftmaxOptions &options : {loop, whole, several}) {
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
  for (const SoftmaxOptions &options : {loop, whole, several})
    check_values<f32>(values, options);
}
TEST(SoftmaxSpecials, NanAndInfinitySpreadOverTheirRow) {
  reference::Matrix values(4, 90);
  values.at(0, 40) = nan;
  values.at(1, 40) = infinity;
  values.at(3, 40) = -infinity;
  for (const SoftmaxOptions &options : {loop, whole, several})
    for (const Function function : both) {
      const bool is_softmax = function == Function::softmax;
      reference::Placed<f32> x(device(), "x", 4, 90), y(device(), "y", 4, 90);
      x.fill(values);
      y.poison();
      run(function, x.view(), y.view(), options);
      const reference::Matrix got = y.download();
      for (std::int64_t c = 0; c < 90; ++c) {
        EXPECT_TRUE(std::isnan(got.at(0, c))) << c;
        EXPECT_TRUE(std::isnan(got.at(1, c))) << c;
        EXPECT_NEAR(got.at(2, c), is_softmax ? 1.0 / 90 : -std::log(90.0), 1e-6) << c;
      }
      EXPECT_EQ(got.at(3, 40), is_softmax ? 0 : -infinity);
    }
}

// The result is far less than a step of x: the maximum is subtracted before the logarithm is.
TEST(SoftmaxSpecials, LogarithmsOfLargeValuesAreExact) {
  reference::Matrix values(1, 60);
  for (std::int64_t c = 0; c < 60; ++c)
    values.at(0, c) = 1048576 + static_cast<double>(c % 7) / 4;
  for (const SoftmaxOptions &options : {loop, whole, several})
    check_values<f32>(values, options);
}

TEST(SoftmaxDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096);
  const MatrixView<f32> x(memory, 5, 4), y(results, 5, 4);
  expect_refused("log_softmax: y has the shape [4, 5], x [5, 4]",
                 [&] { kernels::log_softmax(device(), x, MatrixView<f32>(results, 4, 5)); });
  expect_refused("log_softmax: y overlaps x, which is read while y is written",
                 [&] { kernels::log_softmax(device(), x, MatrixView<f32>(memory.data() + 1, 5, 4)); });
  expect_refused("log_softmax: y is written, but several of its elements share an address: its shape is [5, "
                 "4], its strides are 0 and 1",
                 [&] { kernels::log_softmax(device(), x, MatrixView<f32>(results.data(), 5, 4, 0, 1)); });
  expect_refused(
      "log_softmax: options.config: whole_row takes rows of at most block = 2 elements, x has 4 "
      "columns",
      [&] { kernels::log_softmax(device(), x, y, {.config = {{.block = 2, .whole_row = true}}}); });
  expect_refused("softmax: options.config: block is 0; it must be at least 1",
                 [&] { kernels::softmax(device(), x, y, {.config = {{.block = 0}}}); });
  expect_refused("softmax: options.config: rows is 0; it must be at least 1",
                 [&] { kernels::softmax(device(), x, y, {.config = {{.rows = 0, .whole_row = true}}}); });
  expect_refused(
      "log_softmax: options.config: rows is 2, but a program takes several rows only with whole_row",
      [&] { kernels::log_softmax(device(), x, y, {.config = {{.rows = 2}}}); });
}

}   // namespace
}   // namespace tile
