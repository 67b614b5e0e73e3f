// SPDX-License-Identifier: MIT
// Layer normalisation: rows of any length and strides, large means, the statistics.
#include "row_operands.h"

#include <tile/layer_norm.h>

#include <cmath>

namespace tile {
namespace {

using kernels::LayerNormConfig;
using kernels::LayerNormOptions;

template <class T> struct Inputs {
  reference::Placed<T> x, weight, bias;
  reference::Matrix values, w, b;

  Inputs(std::int64_t rows, std::int64_t cols, reference::Placement at, double offset = 0)
      : x(device(), "x", rows, cols, at), weight(device(), "weight", 1, cols),
        bias(device(), "bias", 1, cols) {
    std::mt19937_64 source(static_cast<std::uint64_t>(rows * 1009 + cols));
    values = reference::random_matrix(rows, cols, element_type<T>, source);
    for (double &value : values.values)
      value += offset;
    values = x.fill(values);
    w = weight.fill(reference::random_matrix(1, cols, element_type<T>, source));
    b = bias.fill(reference::random_matrix(1, cols, element_type<T>, source));
  }
};

template <class T>
void check(std::int64_t rows, std::int64_t cols, const LayerNormOptions &options,
           reference::Placement from = {}, reference::Placement to = {}, double offset = 0) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(rows) + " x " + std::to_string(cols));
  Inputs<T> in(rows, cols, from, offset);
  reference::Placed<T> y(device(), "y", rows, cols, to);
  reference::Placed<f32> mean(device(), "mean", 1, rows), scale(device(), "scale", 1, rows);
  y.poison();
  mean.poison();
  scale.poison();
  kernels::layer_norm(device(), in.x.view(), in.weight.row(0), in.bias.row(0), y.view(), options,
                      kernels::LayerNormStatistics{mean.row(0), scale.row(0)});
  device().synchronize();
  const auto expected = reference::layer_norm(in.values, in.w.values, in.b.values, options.epsilon);
  const auto precise = reference::layer_norm_tolerance(element_type<f32>);
  expect_result(y, expected.y, reference::layer_norm_tolerance(element_type<T>));
  expect_result(mean, as_row(expected.mean), precise);
  expect_result(scale, as_row(expected.scale), precise);
}

const LayerNormOptions small{.config = LayerNormConfig{.block = 32}};
const LayerNormOptions whole{.config = LayerNormConfig{.block = 128, .whole_row = true}};
const LayerNormOptions several{.config = LayerNormConfig{.rows = 4, .block = 128, .whole_row = true}};

template <class T> class LayerNorm : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(LayerNorm, Types);

TYPED_TEST(LayerNorm, RowsOfAnyLength) {
  for (std::int64_t cols : {2, 31, 32, 33, 100, 781})
    check<TypeParam>(3, cols, small);
  check<TypeParam>(0, 50, small);
}
TYPED_TEST(LayerNorm, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {2, 31, 127, 128})
    check<TypeParam>(3, cols, whole);
  check<TypeParam>(0, 50, whole);
}
// The last program has fewer rows than the others.
TYPED_TEST(LayerNorm, SeveralRowsOfAProgram) {
  on_both_devices([] {
    for (const LayerNormConfig &config : configs_of_several_rows) {
      for (std::int64_t rows : {1, 5, 17})
        check<TypeParam>(rows, 100, {.config = config});
      check<TypeParam>(5, 77, {.config = config}, {.by_columns = true}, {.step = 2, .shift = 1});
    }
  });
  for (std::int64_t rows : {0, 4, 5})
    for (std::int64_t cols : {2, 127, 128})
      check<TypeParam>(rows, cols, several);
}
TYPED_TEST(LayerNorm, AnyStrides) {
  for (const LayerNormOptions &options : {small, whole, several})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, options, at, {});
      check<TypeParam>(5, 77, options, {}, at);
    }
}
TYPED_TEST(LayerNorm, InPlace) {
  on_both_devices([] {
    for (const LayerNormOptions &options : {small, whole, several}) {
      Inputs<TypeParam> in(5, 99, {.padding = 3});
      kernels::layer_norm(device(), in.x.view(), in.weight.row(0), in.bias.row(0), in.x.view(), options);
      device().synchronize();
      const auto expected = reference::layer_norm(in.values, in.w.values, in.b.values, options.epsilon);
      expect_result(in.x, expected.y, reference::layer_norm_tolerance(element_type<TypeParam>));
    }
  });
}
TYPED_TEST(LayerNorm, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 1000, 1823, 5000})
    check<TypeParam>(2, cols, {});
}

// One column has no variance: epsilon is all that is under the root.
TEST(LayerNormDetails, SingleColumns) { check<f32>(3, 1, small); }

// E[x^2] - mean^2 would have no digit left.
TEST(LayerNormDetails, LargeMeans) {
  Inputs<f32> in(2, 500, {}, 4096);
  reference::Placed<f32> y(device(), "y", 2, 500);
  y.poison();
  kernels::layer_norm(device(), in.x.view(), in.weight.row(0), in.bias.row(0), y.view(), small);
  const auto expected = reference::layer_norm(in.values, in.w.values, in.b.values, small.epsilon);
  expect_result(y, expected.y, {1e-3, 2e-3});   // the mean itself is known to 4096 * 2^-24
}

TEST(LayerNormDetails, Epsilon) {
  LayerNormOptions options = small;
  options.epsilon = 0.5f;
  check<f32>(3, 100, options);
}

TEST(LayerNormDetails, WithoutStatistics) {
  Inputs<bf16> in(5, 70, {});
  for (const LayerNormOptions &options : {small, whole, several}) {
    reference::Placed<bf16> y(device(), "y", 5, 70);
    y.poison();
    kernels::layer_norm(device(), in.x.view(), in.weight.row(0), in.bias.row(0), y.view(), options);
    const auto expected = reference::layer_norm(in.values, in.w.values, in.b.values, options.epsilon);
    expect_result(y, expected.y, reference::layer_norm_tolerance(element_type<bf16>));
  }
}

TEST(LayerNormDetails, Refuses) {
  Inputs<f32> in(5, 4, {});
  Written<f32> y("y", 5, 4);
  expect_refused(
      "layer_norm: options.config: rows is 2, but a program takes several rows only with whole_row", [&] {
        kernels::layer_norm(device(), in.x.view(), in.weight.row(0), in.bias.row(0), y.view(),
                            {.config = {{.rows = 2}}});
      });
}

}   // namespace
}   // namespace tile
