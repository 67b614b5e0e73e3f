// SPDX-License-Identifier: MIT
// The gradients of rms_norm and layer_norm: any shape and strides, in place, the same bits each time.
#include "row_operands.h"

#include <tile/norm_gradients.h>

namespace tile {
namespace {

using kernels::NormGradientConfig;
using kernels::NormGradientOptions;
using kernels::Numerics;

const NormGradientOptions loop{.config = NormGradientConfig{.block = 32}};
const NormGradientOptions whole{.config = NormGradientConfig{.block = 128, .whole_row = true}};

enum class In { other_memory, place_of_x, place_of_grad_y };

// Statistics need not be those of x: the gradients are functions of whatever was given.
template <class T, bool Centred> struct Norm {
  std::int64_t rows, cols;
  Filled<T> x, weight, grad_y;
  Filled<f32> mean, scale;
  Written<T> grad_x, grad_weight, grad_bias;

  Norm(std::int64_t m, std::int64_t n, reference::Placement from = {}, reference::Placement to = {})
      : rows(m), cols(n), x("x", m, n, from, 1), weight("weight", 1, n), grad_y("grad_y", m, n, from, 2),
        mean("mean", 1, m, {}, 3), scale("scale", 1, m, {}, 4), grad_x("grad_x", m, n, to),
        grad_weight("grad_weight", 1, n), grad_bias("grad_bias", 1, n) {}

  void run(const NormGradientOptions &options, const MatrixView<T> &to) {
    if constexpr (Centred)
      kernels::layer_norm_backward(device(), x.view(), weight.row(), grad_y.view(), {mean.row(), scale.row()},
                                   {to, grad_weight.row(), grad_bias.row()}, options);
    else
      kernels::rms_norm_backward(device(), x.view(), weight.row(), grad_y.view(), scale.row(),
                                 {to, grad_weight.row()}, options);
    device().synchronize();
  }
  void check(const NormGradientOptions &options, In where = In::other_memory) {
    SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(rows) + " x " + std::to_string(cols));
    reference::Placed<T> &to = where == In::other_memory ? grad_x.memory
                               : where == In::place_of_x ? x.memory
                                                         : grad_y.memory;
    run(options, to.view());
    const std::vector<double> no_mean;
    const auto expected =
        reference::norm_gradients(x.values, weight.values.values, grad_y.values,
                                  Centred ? mean.values.values : no_mean, scale.values.values);
    const auto tolerance = reference::row_gradient_tolerance(element_type<T>);
    expect_result(to, expected.x, tolerance);
    expect_result(grad_weight.memory, as_row(expected.weight), tolerance);
    if (Centred)
      expect_result(grad_bias.memory, as_row(expected.bias), tolerance);
  }
};

template <class T> void check_both(std::int64_t rows, std::int64_t cols, const NormGradientOptions &options,
                                   reference::Placement from = {}, reference::Placement to = {}) {
  Norm<T, false>(rows, cols, from, to).check(options);
  Norm<T, true>(rows, cols, from, to).check(options);
}

template <class T> class NormGradients : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(NormGradients, Types);

TYPED_TEST(NormGradients, LoopsOverRowsOfAnyLength) {
  for (std::int64_t cols : {0, 1, 2, 31, 32, 33, 100, 301})
    check_both<TypeParam>(9, cols, loop);
}
TYPED_TEST(NormGradients, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {0, 1, 5, 127, 128})
    check_both<TypeParam>(9, cols, whole);
}
// Of no rows, the sums are zeros. Of many, each program takes several.
TYPED_TEST(NormGradients, AnyNumberOfRows) {
  for (std::int64_t rows : {0, 1, 3, 4, 5, 61})
    for (const NormGradientOptions &options : {loop, whole})
      check_both<TypeParam>(rows, 50, options);
  check_both<TypeParam>(301, 9, whole);   // more programs than the second kernel adds at once
}
TYPED_TEST(NormGradients, AnyStrides) {
  for (const NormGradientOptions &options : {loop, whole})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check_both<TypeParam>(5, 77, options, at, {});
      check_both<TypeParam>(5, 77, options, {}, at);
    }
}
TYPED_TEST(NormGradients, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 1000, 9000})
    for (Numerics numerics : {Numerics::any, Numerics::deterministic})
      check_both<TypeParam>(6, cols, {.numerics = numerics});
}
TYPED_TEST(NormGradients, InPlace) {
  for (const NormGradientOptions &options : {loop, whole})
    for (In where : {In::place_of_x, In::place_of_grad_y}) {
      Norm<TypeParam, false>(11, 77).check(options, where);
      Norm<TypeParam, true>(11, 77).check(options, where);
    }
}

TEST(NormGradientDetails, ProgramsOfNumericsAreThoseOfAnyMachine) {
  using kernels::detail::norm_gradient_programs;
  EXPECT_EQ(norm_gradient_programs(device(), Numerics::deterministic, 1 << 20, 1024), 132 * 8);
  EXPECT_EQ(norm_gradient_programs(device(), Numerics::batch_invariant, 1 << 20, 8192), 132);
  EXPECT_EQ(norm_gradient_programs(device(), Numerics::deterministic, 9, 1024), 3);
  EXPECT_EQ(norm_gradient_programs(device(), Numerics::any, 0, 1024), 1);
}

TEST(NormGradientDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096);
  const MatrixView<f32> x(memory, 5, 4), grad_y(memory.data() + 100, 5, 4), grad_x(results, 5, 4);
  const VectorView<f32> weight(memory.data() + 1000, 4), scale(memory.data() + 2000, 5),
      grad_weight(results.data() + 1000, 4), grad_bias(results.data() + 2000, 4);
  auto rms = [&](const VectorView<f32> &s, const MatrixView<f32> &to, const VectorView<f32> &to_weight,
                 const NormGradientOptions &options = {}) {
    kernels::rms_norm_backward(device(), x, weight, grad_y, s, {to, to_weight}, options);
  };
  expect_refused("rms_norm_backward: scale has 4 elements, a column of x 5",
                 [&] { rms(weight, grad_x, grad_weight); });
  expect_refused("rms_norm_backward: grad_x has the shape [4, 5], x [5, 4]",
                 [&] { rms(scale, MatrixView<f32>(results, 4, 5), grad_weight); });
  expect_refused("rms_norm_backward: grad_weight has 5 elements, a row of x 4",
                 [&] { rms(scale, grad_x, VectorView<f32>(results.data() + 100, 5)); });
  expect_refused("rms_norm_backward: grad_weight overlaps grad_x, which is read while grad_weight is written",
                 [&] { rms(scale, grad_x, VectorView<f32>(results.data(), 4)); });
  expect_refused("rms_norm_backward: grad_weight overlaps x, which is read while grad_weight is written",
                 [&] { rms(scale, grad_x, VectorView<f32>(memory.data(), 4)); });
  expect_refused("rms_norm_backward: grad_x overlaps x, which is read while grad_x is written",
                 [&] { rms(scale, MatrixView<f32>(memory.data() + 1, 5, 4), grad_weight); });
  expect_refused("rms_norm_backward: options.config: whole_row takes rows of at most block = 2 "
                 "elements, x has 4 columns",
                 [&] { rms(scale, grad_x, grad_weight, {.config = {{.block = 2, .whole_row = true}}}); });
  expect_refused(
      "rms_norm_backward: options.config: rows is 2, but a program takes one row after the other here",
      [&] { rms(scale, grad_x, grad_weight, {.config = {{.rows = 2, .whole_row = true}}}); });
  for (const NormGradientConfig &config : kernels::norm_gradient_kernel<f32, true>.configs)
    EXPECT_EQ(config.rows, 1);
  expect_refused("layer_norm_backward: mean has 4 elements, a column of x 5", [&] {
    kernels::layer_norm_backward(device(), x, weight, grad_y, {weight, scale},
                                 {grad_x, grad_weight, grad_bias});
  });
  expect_refused(
      "layer_norm_backward: grad_bias overlaps grad_weight, which is read while grad_bias is written", [&] {
        kernels::layer_norm_backward(device(), x, weight, grad_y, {scale, scale},
                                     {grad_x, grad_weight, grad_weight});
      });
}

}   // namespace
}   // namespace tile
