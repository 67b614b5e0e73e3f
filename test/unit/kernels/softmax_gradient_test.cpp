// SPDX-License-Identifier: MIT
// The gradients of softmax and log_softmax: rows of any length and strides, in place, what is refused.
#include "row_operands.h"

#include <tile/softmax.h>
#include <tile/softmax_gradient.h>

#include <cmath>
#include <limits>

namespace tile {
namespace {

using kernels::Numerics;
using kernels::SoftmaxGradientConfig;
using kernels::SoftmaxGradientOptions;

constexpr double infinity = std::numeric_limits<double>::infinity();

const SoftmaxGradientOptions loop{.config = SoftmaxGradientConfig{.block = 32}};
const SoftmaxGradientOptions whole{.config = SoftmaxGradientConfig{.block = 128, .whole_row = true}};
const SoftmaxGradientOptions several{.config =
                                         SoftmaxGradientConfig{.rows = 4, .block = 128, .whole_row = true}};

enum class Function { softmax, logarithm };
constexpr Function both[] = {Function::softmax, Function::logarithm};
enum class In { other_memory, place_of_y, place_of_grad_y };

struct Case {
  reference::Placement y = {}, grad_y = {}, grad_x = {};
  In where = In::other_memory;
};

template <class T>
void run(Function function, const MatrixView<const T> &y, const MatrixView<const T> &grad_y,
         const MatrixView<T> &grad_x, const SoftmaxGradientOptions &options) {
  function == Function::softmax ? kernels::softmax_backward(device(), y, grad_y, grad_x, options)
                                : kernels::log_softmax_backward(device(), y, grad_y, grad_x, options);
  device().synchronize();
}

// The gradients are functions of whatever y is given: it need not be a softmax.
template <class T>
void check_values(Function function, const reference::Matrix &results, const reference::Matrix &gradients,
                  const SoftmaxGradientOptions &options, const Case &of = {}) {
  const std::int64_t rows = results.rows, cols = results.cols;
  const bool is_softmax = function == Function::softmax;
  SCOPED_TRACE(std::string(is_softmax ? "softmax " : "log_softmax ") + element_type<T>.name() + " " +
               std::to_string(rows) + " x " + std::to_string(cols));
  reference::Placed<T> y(device(), "y", rows, cols, of.y), grad_y(device(), "grad_y", rows, cols, of.grad_y);
  const reference::Matrix exact = y.fill(results), exact_gradients = grad_y.fill(gradients);
  Written<T> apart("grad_x", rows, cols, of.grad_x);
  reference::Placed<T> &to = of.where == In::other_memory ? apart.memory
                             : of.where == In::place_of_y ? y
                                                          : grad_y;
  run<T>(function, y.view(), grad_y.view(), to.view(), options);
  expect_result(to,
                is_softmax ? reference::softmax_gradient(exact, exact_gradients)
                           : reference::log_softmax_gradient(exact, exact_gradients),
                reference::row_gradient_tolerance(element_type<T>));
}

// Sums of numbers of both signs cancel, so f32 has errors of the size of what it adds, not of the sum.
template <class T>
void check(std::int64_t rows, std::int64_t cols, const SoftmaxGradientOptions &options, const Case &of = {}) {
  const reference::Matrix x = Filled<T>("x", rows, cols, {}, 1, 4).values,
                          gradients = Filled<T>("grad_y", rows, cols).values;
  check_values<T>(Function::softmax, reference::softmax(x), gradients, options, of);
  check_values<T>(Function::logarithm, reference::log_softmax(x), gradients, options, of);
  check_values<T>(Function::softmax, Filled<T>("any y", rows, cols, {}, 2, 0.1).values, gradients, options,
                  of);
}

template <class T> class SoftmaxGradient : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(SoftmaxGradient, Types);

TYPED_TEST(SoftmaxGradient, LoopsOverRowsOfAnyLength) {
  for (std::int64_t cols : {1, 2, 17, 31, 32, 33, 100, 781})
    check<TypeParam>(3, cols, loop);
  check<TypeParam>(1, 1, loop);
  check<TypeParam>(17, 17, loop);
  check<TypeParam>(0, 50, loop);
  check<TypeParam>(5, 0, loop);
}
TYPED_TEST(SoftmaxGradient, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {1, 5, 17, 127, 128})
    check<TypeParam>(3, cols, whole);
  check<TypeParam>(17, 17, whole);
  check<TypeParam>(0, 50, whole);
  check<TypeParam>(5, 0, whole);
}
// The last program has fewer rows than the others.
TYPED_TEST(SoftmaxGradient, SeveralRowsOfAProgram) {
  on_both_devices([] {
    for (const SoftmaxGradientConfig &config : configs_of_several_rows) {
      for (std::int64_t rows : {1, 5, 17})
        check<TypeParam>(rows, 100, {.config = config});
      check<TypeParam>(
          5, 77, {.config = config},
          {.y = {.by_columns = true}, .grad_y = {.step = 2, .shift = 1}, .grad_x = {.padding = 3}});
      check<TypeParam>(5, 77, {.config = config}, {.where = In::place_of_y});
      check<TypeParam>(5, 77, {.config = config}, {.where = In::place_of_grad_y});
    }
  });
  for (std::int64_t rows : {0, 4, 5})
    for (std::int64_t cols : {0, 1, 127, 128})
      check<TypeParam>(rows, cols, several);
}
TYPED_TEST(SoftmaxGradient, AnyStrides) {
  for (const SoftmaxGradientOptions &options : {loop, whole, several})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, options, {.y = at});
      check<TypeParam>(5, 77, options, {.grad_y = at});
      check<TypeParam>(5, 77, options, {.grad_x = at});
    }
}
TYPED_TEST(SoftmaxGradient, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 1000, 9000})
    for (Numerics numerics : {Numerics::any, Numerics::batch_invariant})
      check<TypeParam>(2, cols, {.numerics = numerics});
}
// Also blocks of fewer elements than the program has threads.
TYPED_TEST(SoftmaxGradient, InPlace) {
  const SoftmaxGradientOptions narrow{.config = SoftmaxGradientConfig{.block = 16}},
      narrow_whole{.config = SoftmaxGradientConfig{.block = 16, .whole_row = true}};
  for (In where : {In::place_of_y, In::place_of_grad_y})
    for (const reference::Placement &at : {reference::Placement{}, {.step = 2, .padding = 1}}) {
      for (const SoftmaxGradientOptions &options : {loop, whole, several, narrow})
        check<TypeParam>(5, 100, options, {.y = at, .grad_y = at, .where = where});
      check<TypeParam>(5, 13, narrow_whole, {.y = at, .grad_y = at, .where = where});
    }
}

// Both operands that are read may be one.
TEST(SoftmaxGradientDetails, GradientThatIsTheResult) {
  for (const SoftmaxGradientOptions &options : {loop, whole, several}) {
    const Filled<f32> y("y", 3, 90);
    Written<f32> grad_x("grad_x", 3, 90);
    run<f32>(Function::softmax, y.view(), y.view(), grad_x.view(), options);
    expect_result(grad_x.memory, reference::softmax_gradient(y.values, y.values), {1e-5, 2e-5});
  }
}

// A column that was masked by -inf has the gradient 0, or that which comes in: it adds to no sum.
TEST(SoftmaxGradientDetails, ColumnsWithoutProbability) {
  reference::Matrix x = Filled<f32>("x", 3, 90).values;
  for (std::int64_t c = 10; c < 60; ++c)
    x.at(1, c) = -infinity;
  const reference::Matrix gradients = Filled<f32>("grad_y", 3, 90).values;
  for (const SoftmaxGradientOptions &options : {loop, whole, several}) {
    check_values<f32>(Function::softmax, reference::softmax(x), gradients, options);
    check_values<f32>(Function::logarithm, reference::log_softmax(x), gradients, options);
  }
}
// NaN and infinity stay in their rows, and give there what the formula gives.
TEST(SoftmaxGradientDetails, NanAndInfinity) {
  const reference::Matrix x = Filled<f32>("x", 5, 90).values;
  reference::Matrix gradients = Filled<f32>("grad_y", 5, 90).values, y = reference::softmax(x),
                    logarithms = reference::log_softmax(x);
  gradients.at(1, 40) = std::nan("");
  gradients.at(2, 70) = infinity;
  y.at(3, 7) = logarithms.at(3, 7) = std::nan("");
  for (const SoftmaxGradientOptions &options : {loop, whole, several}) {
    check_values<f32>(Function::softmax, y, gradients, options);
    check_values<f32>(Function::logarithm, logarithms, gradients, options);
  }
}

// The gradient is the slope of the function, whatever the formula.
TEST(SoftmaxGradientDetails, IsTheSlope) {
  constexpr std::int64_t cols = 23;
  constexpr double step = 1e-6;
  const reference::Matrix x = Filled<f32>("x", 1, cols, {}, 0, 2).values,
                          gradients = Filled<f32>("grad_y", 1, cols).values;
  for (const Function function : both) {
    auto apply = [&](const reference::Matrix &to) {
      return function == Function::softmax ? reference::softmax(to) : reference::log_softmax(to);
    };
    reference::Placed<f32> y(device(), "y", 1, cols), grad_y(device(), "grad_y", 1, cols);
    y.fill(apply(x));
    grad_y.fill(gradients);
    Written<f32> grad_x("grad_x", 1, cols);
    run<f32>(function, y.view(), grad_y.view(), grad_x.view(), whole);
    const reference::Matrix got = grad_x.memory.download(), before = apply(x);
    for (std::int64_t c = 0; c < cols; ++c) {
      reference::Matrix moved = x;
      moved.at(0, c) += step;
      const reference::Matrix after = apply(moved);
      double slope = 0;
      for (std::int64_t j = 0; j < cols; ++j)
        slope += gradients.at(0, j) * (after.at(0, j) - before.at(0, j)) / step;
      EXPECT_NEAR(got.at(0, c), slope, 1e-5) << c;
    }
  }
}

// A device of the CPU takes the first config that is kept, which sums in blocks of another length.
TEST(SoftmaxGradientDetails, NumericsTakeOneConfig) {
  constexpr std::int64_t cols = 9000;
  const Filled<f32> y("y", 2, cols), grad_y("grad_y", 2, cols);
  for (const Function function : both) {
    auto of = [&](const SoftmaxGradientOptions &options) {
      Written<f32> grad_x("grad_x", 2, cols);
      run<f32>(function, y.view(), grad_y.view(), grad_x.view(), options);
      return grad_x.memory.download().values;
    };
    const auto one = kernels::detail::row_config<SoftmaxGradientConfig>(cols);
    EXPECT_EQ(of({.numerics = Numerics::batch_invariant}), of({.config = one}));
    EXPECT_NE(of({}), of({.config = one}));
  }
}

TEST(SoftmaxGradientDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096);
  const MatrixView<f32> y(memory, 5, 4), grad_y(memory.data() + 100, 5, 4), grad_x(results, 5, 4);
  auto softmax = [&](const MatrixView<f32> &gradient, const MatrixView<f32> &to,
                     const SoftmaxGradientOptions &options = {}) {
    kernels::softmax_backward(device(), y, gradient, to, options);
  };
  expect_refused("softmax_backward: grad_y has the shape [4, 5], y [5, 4]",
                 [&] { softmax(MatrixView<f32>(memory.data() + 100, 4, 5), grad_x); });
  expect_refused("softmax_backward: grad_x has the shape [5, 3], y [5, 4]",
                 [&] { softmax(grad_y, MatrixView<f32>(results, 5, 3)); });
  expect_refused("softmax_backward: grad_x overlaps y, which is read while grad_x is written",
                 [&] { softmax(grad_y, MatrixView<f32>(memory.data() + 1, 5, 4)); });
  expect_refused("softmax_backward: grad_x overlaps grad_y, which is read while grad_x is written",
                 [&] { softmax(grad_y, MatrixView<f32>(memory.data() + 104, 5, 4)); });
  expect_refused("softmax_backward: grad_x is written, but several of its elements share an address: its "
                 "shape is [5, 4], its strides are 4 and 0",
                 [&] { softmax(grad_y, MatrixView<f32>(results.data(), 5, 4, 4, 0)); });
  expect_refused("softmax_backward: options.config: whole_row takes rows of at most block = 2 elements, x "
                 "has 4 columns",
                 [&] { softmax(grad_y, grad_x, {.config = {{.block = 2, .whole_row = true}}}); });
  expect_refused(
      "softmax_backward: options.config: rows is 2, but a program takes several rows only with whole_row",
      [&] { softmax(grad_y, grad_x, {.config = {{.rows = 2}}}); });
  expect_refused("log_softmax_backward: options.config: block is -1; it must be at least 1", [&] {
    kernels::log_softmax_backward(device(), y, grad_y, grad_x, {.config = {{.block = -1}}});
  });
  expect_refused("log_softmax_backward: grad_y has the shape [5, 3], y [5, 4]", [&] {
    kernels::log_softmax_backward(device(), y, MatrixView<f32>(memory.data() + 100, 5, 3), grad_x);
  });
}

}   // namespace
}   // namespace tile
