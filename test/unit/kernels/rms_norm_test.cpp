// SPDX-License-Identifier: MIT
// RMS normalisation: rows of any length and strides, residuals, operands in place, what is refused.
#include "row_operands.h"

#include <tile/rms_norm.h>

namespace tile {
namespace {

using kernels::RmsNormConfig;
using kernels::RmsNormExtras;
using kernels::RmsNormOptions;

const RmsNormOptions loop{.config = RmsNormConfig{.block = 32}};
const RmsNormOptions whole{.config = RmsNormConfig{.block = 128, .whole_row = true}};
const RmsNormOptions several{.config = RmsNormConfig{.rows = 4, .block = 128, .whole_row = true}};

template <class T>
void check(std::int64_t rows, std::int64_t cols, const RmsNormOptions &options,
           reference::Placement from = {}, reference::Placement to = {}) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(rows) + " x " + std::to_string(cols));
  const Filled<T> x("x", rows, cols, from), weight("weight", 1, cols);
  reference::Placed<T> y(device(), "y", rows, cols, to);
  Written<f32> scale("scale", 1, rows);
  y.poison();
  kernels::rms_norm(device(), x.view(), weight.row(), y.view(), options, {.scale = scale.row()});
  device().synchronize();
  const auto expected = reference::rms_norm(x.values, weight.values.values, options.epsilon);
  expect_result(y, expected.y, reference::elementwise_tolerance(element_type<T>));
  expect_result(scale.memory, as_row(expected.scale), reference::elementwise_tolerance(element_type<f32>));
  y.poison();
  kernels::rms_norm(device(), x.view(), weight.row(), y.view(), options);
  expect_result(y, expected.y, reference::elementwise_tolerance(element_type<T>));
}

// The sums as the kernel rounds them: from x and residual, which are exact.
template <class T> reference::Matrix rounded_sums(const reference::Matrix &x, const reference::Matrix &y) {
  reference::Matrix sums(x.rows, x.cols);
  for (std::size_t i = 0; i < x.values.size(); ++i)
    sums.values[i] = numeric::cast<double>(numeric::cast<T>(static_cast<float>(x.values[i] + y.values[i])));
  return sums;
}

enum class Sum { apart, over_x, over_residual };

template <class T>
void check_residual(std::int64_t cols, const RmsNormOptions &options, Sum where,
                    reference::Placement placement = {}) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(cols) + " columns, sum " +
               std::to_string(static_cast<int>(where)));
  constexpr std::int64_t rows = 5;
  Filled<T> x("x", rows, cols, placement, 1), residual("residual", rows, cols, placement, 2);
  const Filled<T> weight("weight", 1, cols);
  Written<T> y("y", rows, cols), apart("sum", rows, cols, placement);
  Written<f32> scale("scale", 1, rows);
  reference::Placed<T> &sum = where == Sum::apart    ? apart.memory
                              : where == Sum::over_x ? x.memory
                                                     : residual.memory;
  // y goes over the residual where that is free.
  reference::Placed<T> &result = where == Sum::over_x ? residual.memory : y.memory;
  kernels::rms_norm(device(), x.view(), weight.row(), result.view(), options,
                    {.residual = {{residual.view(), sum.view()}}, .scale = scale.row()});
  const reference::Matrix sums = rounded_sums<T>(x.values, residual.values);
  const auto expected = reference::rms_norm(sums, weight.values.values, options.epsilon);
  expect_result(sum, sums, {});
  expect_result(result, expected.y, reference::elementwise_tolerance(element_type<T>));
  expect_result(scale.memory, as_row(expected.scale), reference::elementwise_tolerance(element_type<f32>));
}

template <class T> class RmsNorm : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(RmsNorm, Types);

TYPED_TEST(RmsNorm, LoopsOverRowsOfAnyLength) {
  for (std::int64_t cols : {0, 1, 2, 31, 32, 33, 100, 781})
    check<TypeParam>(3, cols, loop);
  check<TypeParam>(0, 50, loop);
}
TYPED_TEST(RmsNorm, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {0, 1, 5, 127, 128})
    check<TypeParam>(3, cols, whole);
  check<TypeParam>(0, 50, whole);
}
// The last program has fewer rows than the others.
TYPED_TEST(RmsNorm, SeveralRowsOfAProgram) {
  on_both_devices([] {
    for (const RmsNormConfig &config : configs_of_several_rows) {
      for (std::int64_t rows : {1, 5, 17})
        check<TypeParam>(rows, 100, {.config = config});
      check<TypeParam>(5, 77, {.config = config}, {.by_columns = true}, {.step = 2, .shift = 1});
      for (Sum where : {Sum::apart, Sum::over_x, Sum::over_residual})
        check_residual<TypeParam>(100, {.config = config}, where, {.padding = 3});
    }
  });
  for (std::int64_t rows : {0, 4, 5})
    for (std::int64_t cols : {0, 1, 127, 128})
      check<TypeParam>(rows, cols, several);
}
TYPED_TEST(RmsNorm, AnyStrides) {
  for (const RmsNormOptions &options : {loop, whole, several})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, options, at, {});
      check<TypeParam>(5, 77, options, {}, at);
    }
}
TYPED_TEST(RmsNorm, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 1000, 1823, 9000})
    check<TypeParam>(2, cols, {});
}
TYPED_TEST(RmsNorm, Residuals) {
  for (Sum where : {Sum::apart, Sum::over_x, Sum::over_residual})
    for (std::int64_t cols : {1, 100}) {
      check_residual<TypeParam>(cols, loop, where);
      check_residual<TypeParam>(cols, whole, where, {.step = 2, .shift = 1});
      check_residual<TypeParam>(cols, several, where, {.step = 2, .shift = 1});
    }
}

TEST(RmsNormDetails, Epsilon) {
  RmsNormOptions options = loop;
  options.epsilon = 0.5f;
  check<f32>(3, 100, options);
}

// A row of zeros has epsilon alone under the root.
TEST(RmsNormDetails, Zeros) {
  reference::Placed<f32> x(device(), "x", 2, 40), weight(device(), "weight", 1, 40), y(device(), "y", 2, 40);
  x.fill(reference::Matrix(2, 40));
  weight.fill(reference::Matrix(1, 40));
  y.poison();
  kernels::rms_norm(device(), x.view(), weight.row(0), y.view(), loop);
  expect_result(y, reference::Matrix(2, 40), {});
}

TEST(RmsNormDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096), more(device(), 4096);
  const MatrixView<f32> x(memory, 5, 4), y(results, 5, 4), far(more, 5, 4);
  const VectorView<f32> weight(memory.data() + 1000, 4), scale(memory.data() + 2000, 5);
  using Extras = RmsNormExtras<f32>;
  expect_refused("rms_norm: y has the shape [4, 5], x [5, 4]",
                 [&] { kernels::rms_norm(device(), x, weight, MatrixView<f32>(results, 4, 5)); });
  expect_refused("rms_norm: weight has 5 elements, a row of x 4",
                 [&] { kernels::rms_norm(device(), x, scale, y); });
  expect_refused("rms_norm: scale has 4 elements, a column of x 5", [&] {
    kernels::rms_norm(device(), x, weight, y, {}, {.scale = VectorView<f32>(scale.data, 4)});
  });
  expect_refused("rms_norm: residual has the shape [4, 4], x [5, 4]", [&] {
    kernels::rms_norm(device(), x, weight, y, {}, {.residual = {{MatrixView<f32>(more, 4, 4), far}}});
  });
  expect_refused("rms_norm: y overlaps sum, which is read while y is written",
                 [&] { kernels::rms_norm(device(), x, weight, y, {}, Extras{.residual = {{x, y}}}); });
  expect_refused("rms_norm: y overlaps weight, which is read while y is written",
                 [&] { kernels::rms_norm(device(), x, VectorView<f32>(results.data(), 4), y); });
  expect_refused("rms_norm: scale overlaps x, which is read while scale is written", [&] {
    kernels::rms_norm(device(), x, weight, y, {}, {.scale = VectorView<f32>(memory.data(), 5)});
  });
  expect_refused("rms_norm: sum is written, but several of its elements share an address: its shape is "
                 "[5, 4], its strides are 0 and 1",
                 [&] {
                   kernels::rms_norm(device(), x, weight, y, {},
                                     {.residual = {{far, MatrixView<f32>(more.data() + 500, 5, 4, 0, 1)}}});
                 });
  expect_refused("rms_norm: options.config: block is 0; it must be at least 1",
                 [&] { kernels::rms_norm(device(), x, weight, y, {.config = {{.block = 0}}}); });
  expect_refused("rms_norm: options.config: rows is 2, but a program takes several rows only with whole_row",
                 [&] { kernels::rms_norm(device(), x, weight, y, {.config = {{.rows = 2}}}); });
}

}   // namespace
}   // namespace tile
