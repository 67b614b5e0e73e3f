// SPDX-License-Identifier: MIT
// The k largest of each row: rows of any length and strides, ties, infinities and NaN, weights by softmax,
// what is refused.
#include "row_operands.h"

#include <tile/top_k.h>

#include <cmath>
#include <limits>

namespace tile {
namespace {

using kernels::Numerics;
using kernels::TopKConfig;
using kernels::TopKOptions;
using kernels::TopKSoftmax;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

constexpr TopKSoftmax kinds[] = {TopKSoftmax::none, TopKSoftmax::over_chosen, TopKSoftmax::over_row};
constexpr reference::Share shares[] = {reference::Share::none, reference::Share::of_chosen,
                                       reference::Share::of_row};

const TopKConfig one_row{.rows = 1, .launch = {.num_warps = 1}},
    rows_of_a_warp{.rows = 4, .launch = {.num_warps = 1}}, wide_row{.rows = 1, .launch = {.num_warps = 4}},
    rows_of_warps{.rows = 8, .launch = {.num_warps = 4}};

struct Case {
  reference::Placement x = {}, values = {}, indices = {};
};

// V: elements of the values. Elements are given as they are; a softmax is rounded once.
template <class T, class V>
void check_kind(TopKSoftmax kind, const reference::Matrix &numbers, std::int64_t k, TopKOptions options,
                const Case &of) {
  SCOPED_TRACE(element_type<T>.name() + " to " + element_type<V>.name() + ", " +
               std::to_string(numbers.rows) + " x " + std::to_string(numbers.cols) + ", k " +
               std::to_string(k) + ", softmax " + std::to_string(static_cast<int>(kind)));
  reference::Placed<T> x(device(), "x", numbers.rows, numbers.cols, of.x);
  const reference::Matrix exact = x.fill(numbers);
  Written<V> values("values", numbers.rows, k, of.values);
  Written<i32> indices("indices", numbers.rows, k, of.indices);
  options.softmax = kind;
  kernels::top_k(device(), x.view(), values.view(), indices.view(), k, options);
  device().synchronize();
  const auto expected = reference::top_k(exact, k, shares[static_cast<int>(kind)]);
  const bool is_exact = kind == TopKSoftmax::none;
  expect_result(values.memory, expected.values,
                is_exact ? reference::Tolerance() : reference::elementwise_tolerance(element_type<V>));
  expect_result(indices.memory, expected.indices, {});
}

template <class T>
void check_values(const reference::Matrix &numbers, std::int64_t k, const TopKOptions &options,
                  const Case &of = {}) {
  for (const TopKSoftmax kind : kinds) {
    check_kind<T, T>(kind, numbers, k, options, of);
    if (!std::is_same_v<T, f32>)
      check_kind<T, f32>(kind, numbers, k, options, of);
  }
}

template <class T>
void check(std::int64_t rows, std::int64_t cols, std::int64_t k, const TopKOptions &options = {},
           const Case &of = {}) {
  check_values<T>(Filled<T>("x", rows, cols, {}, 0, 8).values, k, options, of);
}

template <class T> class TopK : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(TopK, Types);

TYPED_TEST(TopK, RowsOfAnyLength) {
  for (std::int64_t cols : {1, 2, 8, 15, 16, 17, 33, 60, 128, 160, 256})
    for (const TopKConfig &config : {one_row, rows_of_a_warp, wide_row, rows_of_warps})
      check<TypeParam>(5, cols, std::min<std::int64_t>(cols, 6), {.config = config});
}
TYPED_TEST(TopK, AnyNumberOfRows) {
  for (std::int64_t rows : {0, 1, 3, 4, 5, 17})
    for (const TopKConfig &config : {one_row, rows_of_a_warp, rows_of_warps})
      check<TypeParam>(rows, 40, 8, {.config = config});
}
TYPED_TEST(TopK, AnyK) {
  for (std::int64_t k : {0, 1, 2, 7, 17, 31, 32})
    for (const TopKConfig &config : {one_row, rows_of_a_warp, wide_row})
      check<TypeParam>(3, 50, k, {.config = config});
  for (const TopKConfig &config : {one_row, rows_of_a_warp})
    for (std::int64_t all : {0, 1, 17, 32})
      check<TypeParam>(3, all, all, {.config = config});
}
TYPED_TEST(TopK, AnyStrides) {
  for (const TopKConfig &config : {one_row, rows_of_a_warp})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check<TypeParam>(5, 77, 6, {.config = config}, {.x = at});
      check<TypeParam>(5, 77, 6, {.config = config}, {.values = at});
      check<TypeParam>(5, 77, 6, {.config = config}, {.indices = at});
    }
}
TYPED_TEST(TopK, ItsOwnConfigs) {
  for (std::int64_t cols : {20, 100, 256, 1000, 4000, 8192})
    for (Numerics numerics : {Numerics::any, Numerics::batch_invariant})
      check<TypeParam>(3, cols, 5, {.numerics = numerics});
}

// The lowest column first, over all of the row. 0 and -0 are equal.
TYPED_TEST(TopK, Ties) {
  reference::Matrix values(5, 300);
  for (std::int64_t c = 0; c < 300; ++c) {
    values.at(0, c) = 2;
    values.at(1, c) = static_cast<double>(c % 3);
    values.at(2, c) = c % 2 ? 0.0 : -0.0;
    values.at(3, c) = c >= 290 ? 1 : -1;
    values.at(4, c) = -static_cast<double>((300 - c) / 100);
  }
  for (const TopKConfig &config : {one_row, rows_of_a_warp, wide_row, rows_of_warps})
    check_values<TypeParam>(values, 20, {.config = config});
}
// Numbers of every size are in order: those next to each other, subnormal ones, the ends of the type.
TYPED_TEST(TopK, NumbersOfEverySize) {
  reference::Matrix values(2, 64);
  const bool is_f16 = std::is_same_v<TypeParam, f16>;
  for (std::int64_t c = 0; c < 64; ++c) {
    const double step = std::is_same_v<TypeParam, f32> ? 0x1p-23 : is_f16 ? 0x1p-10 : 0x1p-7;
    values.at(0, c) = (c % 2 ? 1 : -1) * (1 + static_cast<double>(c * 13 % 64) * step);
    values.at(1, c) = (c % 2 ? 1 : -1) * std::exp2(static_cast<double>(c / 2) - (is_f16 ? 24 : 140)) *
                      (c > 50 && !is_f16 ? 0x1p100 : 1);
  }
  values.at(1, 60) = is_f16 ? 65504 : 3.3e38;
  for (const TopKConfig &config : {one_row, rows_of_a_warp}) {
    check_kind<TypeParam, TypeParam>(TopKSoftmax::none, values, 32, {.config = config}, {});
    for (double &value : values.values)
      value = -value;
    check_kind<TypeParam, TypeParam>(TopKSoftmax::none, values, 32, {.config = config}, {});
  }
}
// NaN is the largest. -inf is chosen where nothing else is left, and never twice.
TYPED_TEST(TopK, NanAndInfinity) {
  reference::Matrix values(7, 90);
  for (std::int64_t c = 0; c < 90; ++c) {
    for (std::int64_t r = 0; r < 7; ++r)
      values.at(r, c) = static_cast<double>(c * 37 % 90) / 8;
    values.at(1, c) = -infinity;
    values.at(2, c) = c == 50 ? 1 : c == 3 ? -2 : -infinity;
    values.at(5, c) = nan;
  }
  values.at(0, 40) = nan;
  values.at(0, 20) = -nan;
  values.at(0, 10) = infinity;
  values.at(3, 40) = infinity;
  values.at(3, 70) = infinity;
  values.at(4, 5) = -infinity;
  for (const TopKConfig &config : {one_row, rows_of_a_warp, wide_row})
    for (std::int64_t k : {1, 4, 32})
      check_values<TypeParam>(values, k, {.config = config});
}
// Without the largest element, the exponentials would be infinite.
TYPED_TEST(TopK, SoftmaxOfLargeNumbers) {
  reference::Matrix values(2, 70);
  for (std::int64_t c = 0; c < 70; ++c) {
    values.at(0, c) = 30000 + 16 * static_cast<double>(c * 11 % 70);
    values.at(1, c) = -30000 + 16 * static_cast<double>(c * 11 % 70);
  }
  for (const TopKConfig &config : {one_row, rows_of_a_warp})
    check_values<TypeParam>(values, 9, {.config = config});
}

// The bits of a row do not depend on how many rows there are.
TEST(TopKDetails, NumericsTakeOneConfig) {
  constexpr std::int64_t most = 40, k = 6;
  for (const std::int64_t cols : {8, 100, 1000, 8192}) {
    const Filled<f32> x("x", most, cols, {}, 0, 4);
    const TopKOptions options{.softmax = TopKSoftmax::over_row, .numerics = Numerics::batch_invariant};
    auto first_row = [&](std::int64_t rows, const TopKOptions &chosen) {
      Written<f32> values("values", rows, k);
      Written<i32> indices("indices", rows, k);
      kernels::top_k(device(), x.view().block(0, 0, rows, cols), values.view(), indices.view(), k, chosen);
      std::vector<double> all = values.memory.download().values;
      all.resize(k);
      return all;
    };
    const std::vector<double> expected = first_row(most, options);
    EXPECT_EQ(first_row(1, options), expected) << cols;
    EXPECT_EQ(first_row(most, {.softmax = options.softmax, .config = kernels::detail::top_k_config(cols)}),
              expected)
        << cols;
  }
}

// Every length has a config, whose threads have work and registers.
TEST(TopKDetails, EveryLengthHasAConfig) {
  for (std::int64_t cols = 0; cols <= kernels::most_columns_of_top_k; ++cols) {
    const TopKConfig config = kernels::detail::top_k_config(cols);
    ASSERT_GE(config.block, cols);
    ASSERT_TRUE(kernels::detail::keep_top_k_config(config)) << cols;
  }
  TopKConfig full = rows_of_a_warp, idle = wide_row;
  full.block = 512;
  idle.block = 128;
  EXPECT_FALSE(kernels::detail::keep_top_k_config(full));
  EXPECT_FALSE(kernels::detail::keep_top_k_config(idle));
}

// Of many short rows, several share a program. A row that no warp can hold in registers has many warps.
TEST(TopKDetails, CostsFollowTheShape) {
  const Machine machine{.multiprocessors = 132, .clock_hertz = 1.98e9, .memory_bytes_per_second = 4.8e12};
  auto seconds = [&](TopKConfig config, std::int64_t rows, std::int64_t cols, std::int64_t k, int bytes) {
    config.block = kernels::detail::top_k_block(cols);
    return kernels::detail::top_k_seconds(config, machine, rows, cols, k, bytes);
  };
  for (const int bytes : {2, 4}) {
    EXPECT_LT(seconds(rows_of_a_warp, 16384, 64, 8, bytes), seconds(one_row, 16384, 64, 8, bytes));
    EXPECT_LT(seconds(wide_row, 16384, 2048, 8, bytes),
              seconds({.launch = {.num_warps = 16}}, 16384, 2048, 8, bytes));
    EXPECT_LT(seconds(one_row, 16384, 256, 2, bytes), seconds(one_row, 16384, 256, 8, bytes));
    EXPECT_LT(seconds(one_row, 1024, 256, 8, bytes), seconds(one_row, 65536, 256, 8, bytes));
  }
  EXPECT_LT(seconds(one_row, 16384, 256, 8, 2), seconds(one_row, 16384, 256, 8, 4));
  EXPECT_GT(seconds(one_row, 1 << 20, 256, 1, 2), (1 << 20) * 512 / 4.8e12);   // what memory needs
}

TEST(TopKDetails, Refuses) {
  Buffer<f32> memory(device(), 40000), results(device(), 4096);
  Buffer<i32> numbers(device(), 4096);
  const MatrixView<f32> x(memory, 5, 40), values(results, 5, 3);
  const MatrixView<i32> indices(numbers, 5, 3);
  auto run = [&](std::int64_t k, const TopKOptions &options = {}) {
    kernels::top_k(device(), x, values, indices, k, options);
  };
  expect_refused("top_k: k is -1; it must be from 0 to 32", [&] { run(-1); });
  expect_refused("top_k: k is 33; it must be from 0 to 32", [&] { run(33); });
  expect_refused("top_k: k is 4; it must be from 0 to 3, the columns of x",
                 [&] { kernels::top_k(device(), MatrixView<f32>(memory, 5, 3), values, indices, 4); });
  expect_refused("top_k: x has 8193 columns; it may have 8192",
                 [&] { kernels::top_k(device(), MatrixView<f32>(memory, 4, 8193), values, indices, 3); });
  expect_refused("top_k: values has the shape [5, 3], x and k ask for [5, 2]", [&] { run(2); });
  expect_refused("top_k: indices has the shape [3, 5], x and k ask for [5, 3]",
                 [&] { kernels::top_k(device(), x, values, MatrixView<i32>(numbers, 3, 5), 3); });
  expect_refused("top_k: values overlaps x, which is read while values is written",
                 [&] { kernels::top_k(device(), x, MatrixView<f32>(memory, 5, 3), indices, 3); });
  expect_refused("top_k: values overlaps indices, which is read while values is written", [&] {
    kernels::top_k(device(), x, values, MatrixView<i32>(reinterpret_cast<i32 *>(results.data()) + 14, 5, 3),
                   3);
  });
  expect_refused("top_k: indices overlaps x, which is read while indices is written", [&] {
    kernels::top_k(device(), x, values, MatrixView<i32>(reinterpret_cast<i32 *>(memory.data()), 5, 3), 3);
  });
  expect_refused(
      "top_k: values is written, but several of its elements share an address: its shape is [5, "
      "3], its strides are 0 and 1",
      [&] { kernels::top_k(device(), x, MatrixView<f32>(results.data(), 5, 3, 0, 1), indices, 3); });
  expect_refused(
      "top_k: indices is written, but several of its elements share an address: its shape is [5, "
      "3], its strides are 3 and 0",
      [&] { kernels::top_k(device(), x, values, MatrixView<i32>(numbers.data(), 5, 3, 3, 0), 3); });
  expect_refused("top_k: options.config: rows is 0; it must be at least 1",
                 [&] { run(3, {.config = {{.rows = 0}}}); });
}

}   // namespace
}   // namespace tile
