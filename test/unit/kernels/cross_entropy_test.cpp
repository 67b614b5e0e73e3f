// SPDX-License-Identifier: MIT
// Cross entropy: rows of any length and strides, ignored and wrong targets, label smoothing, the gradient
// also over the logits.
#include "row_operands.h"

#include <tile/cross_entropy.h>
#include <tile/interpreter.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace tile {
namespace {

using kernels::CrossEntropyConfig;
using kernels::CrossEntropyExtras;
using kernels::CrossEntropyOptions;

constexpr double infinity = std::numeric_limits<double>::infinity();

const CrossEntropyConfig loop{.block = 32}, whole{.block = 128, .whole_row = true},
    several{.rows = 4, .block = 128, .whole_row = true};

enum class Grad { none, apart, over_logits };

struct Case {
  Grad grad = Grad::apart;
  std::vector<double> factors;   // of each row, or one of all
  reference::Placement from = {}, to = {};
};

template <class T, class Index = i32>
void check_values(const reference::Matrix &values, const std::vector<std::int64_t> &numbers,
                  const CrossEntropyOptions &options, const Case &of = {}) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(values.rows) + " x " +
               std::to_string(values.cols));
  const std::int64_t rows = values.rows, cols = values.cols;
  reference::Placed<T> logits(device(), "logits", rows, cols, of.from);
  const reference::Matrix exact = logits.fill(values);
  const Buffer<Index> targets(device(), std::vector<Index>(numbers.begin(), numbers.end()));
  Written<f32> loss("loss", 1, rows), sums("log_sum_exp", 1, rows);
  Written<T> apart("grad", rows, cols, of.to);
  reference::Placed<T> &grad = of.grad == Grad::over_logits ? logits : apart.memory;
  const Buffer<f32> factors(device(), std::vector<f32>(of.factors.begin(), of.factors.end()));
  CrossEntropyExtras<T> extras{.log_sum_exp = sums.row()};
  if (of.grad != Grad::none)
    extras.grad = grad.view();
  if (!of.factors.empty())
    extras.grad_loss = VectorView<const f32>(factors);
  kernels::cross_entropy(device(), logits.view(), VectorView<Index>(targets), loss.row(), options, extras);
  device().synchronize();

  std::vector<double> all_factors(static_cast<std::size_t>(rows), double{options.grad_scale});
  for (std::size_t i = 0; i < all_factors.size() && !of.factors.empty(); ++i)
    all_factors[i] *= of.factors[of.factors.size() == 1 ? 0 : i];
  const auto expected = reference::cross_entropy(
      exact, {numbers, options.ignore_index, double{options.label_smoothing}, all_factors});
  const reference::Tolerance exactly{2e-6, 2e-6};
  expect_result(loss.memory, as_row(expected.loss), exactly);
  expect_result(sums.memory, as_row(expected.log_sum_exp), exactly);
  if (of.grad == Grad::none)
    return;
  auto tolerance = reference::elementwise_tolerance(element_type<T>);
  expect_result(grad, expected.grad, tolerance);
}

template <class T, class Index = i32>
void check(std::int64_t rows, std::int64_t cols, const CrossEntropyOptions &options, const Case &of = {}) {
  std::mt19937_64 source(static_cast<std::uint64_t>(rows * 1009 + cols));
  reference::Matrix values = reference::random_matrix(rows, cols, element_type<T>, source);
  for (double &value : values.values)
    value *= 8;
  std::vector<std::int64_t> targets;
  for (std::int64_t row = 0; row < rows; ++row)   // with the first and the last column
    targets.push_back(row == 0 ? 0 : row == 1 ? cols - 1 : row * 37 % std::max<std::int64_t>(cols, 1));
  check_values<T, Index>(values, targets, options, of);
}

template <class T> class CrossEntropy : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(CrossEntropy, Types);

TYPED_TEST(CrossEntropy, LoopsOverRowsOfAnyLength) {
  for (std::int64_t cols : {1, 2, 31, 32, 33, 100, 781})
    for (Grad grad : {Grad::none, Grad::apart, Grad::over_logits})
      check<TypeParam>(5, cols, {.config = loop}, {.grad = grad});
  check<TypeParam>(0, 50, {.config = loop});
}
TYPED_TEST(CrossEntropy, KeepsShortRowsInRegisters) {
  for (std::int64_t cols : {1, 5, 127, 128})
    for (Grad grad : {Grad::none, Grad::apart, Grad::over_logits})
      check<TypeParam>(5, cols, {.config = whole}, {.grad = grad});
  check<TypeParam>(0, 50, {.config = whole});
}
// The last program has fewer rows than the others.
TYPED_TEST(CrossEntropy, SeveralRowsOfAProgram) {
  on_both_devices([] {
    for (const CrossEntropyConfig &config : configs_of_several_rows) {
      for (std::int64_t rows : {1, 5, 17})
        check<TypeParam>(rows, 100, {.config = config});
      check<TypeParam, i64>(5, 77, {.label_smoothing = 0.1f, .config = config},
                            {.grad = Grad::none, .from = {.by_columns = true}});
      check<TypeParam>(
          5, 77, {.config = config},
          {.grad = Grad::over_logits, .factors = {1, -3, 0, 2, 5}, .from = {.step = 2, .shift = 1}});
    }
  });
  for (std::int64_t rows : {0, 4, 5})
    for (std::int64_t cols : {1, 127, 128})
      check<TypeParam>(rows, cols, {.config = several});
}
TYPED_TEST(CrossEntropy, AnyStrides) {
  for (const CrossEntropyConfig &config : {loop, whole, several})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, {.config = config}, {.from = at});
      check<TypeParam>(5, 77, {.config = config}, {.to = at});
      check<TypeParam>(5, 77, {.config = config}, {.grad = Grad::over_logits, .from = at});
    }
}
TYPED_TEST(CrossEntropy, ItsOwnConfigs) {
  for (std::int64_t cols : {100, 1000, 9000})
    check<TypeParam>(2, cols, {});
}
TYPED_TEST(CrossEntropy, LabelSmoothing) {
  for (const CrossEntropyConfig &config : {loop, whole, several})
    for (float smoothing : {0.1f, 1.0f})
      check<TypeParam>(4, 100, {.label_smoothing = smoothing, .config = config});
}
TYPED_TEST(CrossEntropy, FactorsOfTheGradient) {
  for (const CrossEntropyConfig &config : {loop, whole, several}) {
    check<TypeParam>(3, 50, {.grad_scale = 0.25f, .config = config});
    check<TypeParam>(3, 50, {.config = config}, {.factors = {-2}});
    check<TypeParam>(3, 50, {.grad_scale = 0.5f, .config = config}, {.factors = {1, -3, 0}});
  }
}

TEST(CrossEntropyDetails, TargetsOf64Bits) {
  for (const CrossEntropyConfig &config : {loop, whole, several})
    check<bf16, i64>(5, 100, {.config = config});
}

// An ignored row has no loss and no gradient, whatever is in it; also if its index is a column.
TEST(CrossEntropyDetails, IgnoredTargets) {
  reference::Matrix values(4, 70);
  for (std::size_t i = 0; i < values.values.size(); ++i)
    values.values[i] = static_cast<double>(i % 17) / 4;
  values.at(1, 3) = std::numeric_limits<double>::quiet_NaN();
  for (const CrossEntropyConfig &config : {loop, whole, several})
    for (std::int64_t ignored : {-100, 2})
      for (Grad grad : {Grad::apart, Grad::over_logits})
        check_values<f32>(values, {3, ignored, 69, ignored},
                          {.ignore_index = ignored, .label_smoothing = 0.1f, .config = config},
                          {.grad = grad});
}

// Without columns no target is one. A sum of nothing is 0, and its logarithm -inf.
TEST(CrossEntropyDetails, NoColumns) {
  for (const CrossEntropyConfig &config : {loop, whole, several})
    check_values<f32>(reference::Matrix(2, 0), {7, 7}, {.ignore_index = 7, .config = config});
  const std::unique_ptr<Device> unchecked = open_interpreter({.check_asserts = false});
  const Buffer<f32> logits(*unchecked, 0), loss(*unchecked, 2);
  const Buffer<i32> targets(*unchecked, std::vector<i32>{0, 0});
  kernels::cross_entropy(*unchecked, MatrixView<f32>(logits, 2, 0), VectorView<i32>(targets),
                         VectorView<f32>(loss));
  for (f32 number : loss.to_host())
    EXPECT_TRUE(std::isnan(number));
}

// Columns that are masked by -inf have no probability. As a target, such a column costs infinity.
TEST(CrossEntropyDetails, MinusInfinity) {
  reference::Matrix values(3, 100);
  for (std::int64_t c = 0; c < 100; ++c) {
    values.at(0, c) = c < 70 ? -infinity : static_cast<double>(c) / 10;
    values.at(1, c) = c == 40 ? 2 : -infinity;
    values.at(2, c) = c == 7 ? -infinity : 1;
  }
  for (const CrossEntropyConfig &config : {loop, whole, several}) {
    check_values<f32>(values, {99, 40, 7}, {.config = config});
    check_values<bf16>(values, {99, 40, 7}, {.config = config});
  }
}
TEST(CrossEntropyDetails, HugeLogits) {
  reference::Matrix values(2, 90);
  for (std::int64_t c = 0; c < 90; ++c) {
    values.at(0, c) = c % 2 ? 3e38 : -3e38;
    values.at(1, c) = static_cast<double>(c) * 1000;
  }
  for (const CrossEntropyConfig &config : {loop, whole, several})
    check_values<f32>(values, {1, 89}, {.config = config});
}
TEST(CrossEntropyDetails, NanAndInfinitySpreadOverTheirRow) {
  reference::Matrix values(3, 90);
  values.at(0, 40) = std::numeric_limits<double>::quiet_NaN();
  values.at(1, 40) = infinity;
  for (const CrossEntropyConfig &config : {loop, whole, several}) {
    reference::Placed<f32> x(device(), "x", 3, 90), grad(device(), "grad", 3, 90),
        loss(device(), "loss", 1, 3);
    x.fill(values);
    const Buffer<i32> targets(device(), std::vector<i32>{5, 5, 5});
    kernels::cross_entropy(device(), x.view(), VectorView<i32>(targets), loss.row(0), {.config = config},
                           {.grad = grad.view()});
    const reference::Matrix got = grad.download(), losses = loss.download();
    for (std::int64_t r = 0; r < 2; ++r)
      EXPECT_NE(losses.at(0, r), losses.at(0, r)) << r;
    EXPECT_NEAR(losses.at(0, 2), std::log(90), 1e-5);
    for (std::int64_t c = 0; c < 90; ++c)
      EXPECT_NE(got.at(0, c), got.at(0, c)) << c;
  }
}

// The error names the row.
TEST(CrossEntropyDetails, TargetsThatAreNoColumn) {
  for (const CrossEntropyConfig &config : {loop, whole})
    for (i32 wrong : {50, -1, std::numeric_limits<i32>::max(), std::numeric_limits<i32>::min()}) {
      SCOPED_TRACE(wrong);
      const Filled<f32> logits("logits", 3, 50);
      Written<f32> loss("loss", 1, 3), grad("grad", 3, 50);
      const Buffer<i32> targets(device(), std::vector<i32>{4, 0, wrong});
      try {
        kernels::cross_entropy(device(), logits.view(), VectorView<i32>(targets), loss.row(),
                               {.config = config}, {.grad = grad.view()});
        device().synchronize();
        ADD_FAILURE() << "not refused";
      } catch (const Error &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("the target of the row with the number of this program is a column"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("(2, 0, 0)"), std::string::npos) << text;
      }
    }
}

// Of several rows, the element tells which one of the program it is. Rows behind the last one have no target.
TEST(CrossEntropyDetails, TargetsOfSeveralRowsThatAreNoColumn) {
  const Filled<f32> logits("logits", 7, 50);
  Written<f32> loss("loss", 1, 7);
  const Buffer<i32> targets(device(), std::vector<i32>{4, 0, 1, 2, 3, 50, 4});
  try {
    kernels::cross_entropy(device(), logits.view(), VectorView<i32>(targets), loss.row(),
                           {.config = several});
    device().synchronize();
    ADD_FAILURE() << "not refused";
  } catch (const Error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the target of this one of the rows of this program is a column"), std::string::npos)
        << text;
    EXPECT_NE(text.find("(1, 0, 0)"), std::string::npos) << text;
    EXPECT_NE(text.find("[1, 0]"), std::string::npos) << text;
  }
}

// As on a GPU: NaN in that row alone.
TEST(CrossEntropyDetails, TargetsThatAreNoColumnAndAreNotChecked) {
  const std::unique_ptr<Device> unchecked = open_interpreter({.check_asserts = false});
  for (const CrossEntropyConfig &config : {loop, whole, several})
    for (i32 wrong : {50, -1, std::numeric_limits<i32>::max()}) {
      const Buffer<f32> logits(*unchecked, std::vector(2 * 50, 1.0f)), loss(*unchecked, 2),
          grad(*unchecked, 2 * 50);
      const Buffer<i32> targets(*unchecked, std::vector<i32>{4, wrong});
      kernels::cross_entropy(*unchecked, MatrixView<f32>(logits, 2, 50), VectorView<i32>(targets),
                             VectorView<f32>(loss), {.config = config},
                             {.grad = MatrixView<f32>(grad, 2, 50)});
      unchecked->synchronize();
      const std::vector<f32> losses = loss.to_host(), gradients = grad.to_host();
      EXPECT_NEAR(losses[0], std::log(50.0), 1e-5) << wrong;
      EXPECT_TRUE(std::isnan(losses[1])) << wrong;
      for (std::size_t i = 0; i < gradients.size(); ++i)
        EXPECT_EQ(std::isnan(gradients[i]), i >= 50) << wrong << ", element " << i;
    }
}

TEST(CrossEntropyDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096);
  Buffer<i32> numbers(device(), 64);
  const MatrixView<f32> logits(memory, 5, 4), grad(results, 5, 4);
  const VectorView<i32> targets(numbers.data(), 5);
  const VectorView<f32> loss(results.data() + 1000, 5), sums(results.data() + 2000, 5);
  using Extras = CrossEntropyExtras<f32>;
  auto run = [&](const CrossEntropyOptions &options, const Extras &extras) {
    kernels::cross_entropy(device(), logits, targets, loss, options, extras);
  };
  expect_refused("cross_entropy: targets has 4 elements, a column of logits 5",
                 [&] { kernels::cross_entropy(device(), logits, VectorView<i32>(numbers.data(), 4), loss); });
  expect_refused("cross_entropy: loss has 6 elements, a column of logits 5", [&] {
    kernels::cross_entropy(device(), logits, targets, VectorView<f32>(results.data(), 6));
  });
  expect_refused("cross_entropy: log_sum_exp has 3 elements, a column of logits 5",
                 [&] { run({}, {.log_sum_exp = VectorView<f32>(results.data(), 3)}); });
  expect_refused("cross_entropy: grad has the shape [4, 5], logits [5, 4]",
                 [&] { run({}, {.grad = MatrixView<f32>(results, 4, 5)}); });
  expect_refused("cross_entropy: grad_loss has 2 elements, a column of logits 5", [&] {
    run({}, {.grad = grad, .grad_loss = VectorView<const f32>(memory.data() + 500, 2)});
  });
  expect_refused("cross_entropy: grad_loss is a factor of grad, which is missing",
                 [&] { run({}, {.grad_loss = VectorView<const f32>(memory.data() + 500, 5)}); });
  expect_refused("cross_entropy: options.label_smoothing is 1.500000; it must be from 0 to 1",
                 [&] { run({.label_smoothing = 1.5f}, {}); });
  expect_refused("cross_entropy: grad overlaps logits, which is read while grad is written",
                 [&] { run({}, {.grad = MatrixView<f32>(memory.data() + 1, 5, 4)}); });
  expect_refused("cross_entropy: grad overlaps loss, which is read while grad is written",
                 [&] { run({}, {.grad = MatrixView<f32>(loss.data, 5, 4)}); });
  expect_refused("cross_entropy: grad overlaps loss, which is read while grad is written", [&] {
    kernels::cross_entropy(device(), MatrixView<f32>(memory, 5, 1), targets, loss, {},
                           {.grad = MatrixView<f32>(loss.data, 5, 1)});
  });
  expect_refused("cross_entropy: loss overlaps logits, which is read while loss is written", [&] {
    kernels::cross_entropy(device(), logits, targets, VectorView<f32>(memory.data(), 5));
  });
  expect_refused("cross_entropy: options.config: whole_row takes rows of at most block = 2 elements, x has 4 "
                 "columns",
                 [&] { run({.config = {{.block = 2, .whole_row = true}}}, {}); });
  expect_refused(
      "cross_entropy: options.config: rows is 2, but a program takes several rows only with whole_row",
      [&] { run({.config = {{.rows = 2}}}, {}); });
}

}   // namespace
}   // namespace tile
