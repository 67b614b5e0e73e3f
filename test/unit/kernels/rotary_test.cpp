// SPDX-License-Identifier: MIT
// Rotary position embeddings: both kinds of pairs, shapes and strides, positions, in place, and the
// inverse.
#include "row_operands.h"

#include <tile/rotary.h>

#include <array>
#include <cmath>
#include <limits>

namespace tile {
namespace {

using kernels::RotaryConfig;
using kernels::RotaryOptions;
using kernels::RotaryPairs;
using reference::Placement;

const RotaryConfig small{.block_t = 1, .block_h = 2, .block_p = 8},
    wide{.block_t = 4, .block_h = 4, .block_p = 32};

struct Shape {
  std::int64_t tokens = 5, heads = 3, elements = 40, pairs = 20;
};

// Which of tokens and heads are the outer ones in memory.
enum class Order { tokens_first, heads_first };

template <class T> TensorView<T, 3> tensor(const MatrixView<T> &rows, const Shape &shape, Order order) {
  const std::int64_t step = rows.row_stride;
  const bool is_by_heads = order == Order::heads_first;
  return {
      rows.data,
      {shape.tokens, shape.heads, shape.elements},
      {is_by_heads ? step : shape.heads * step, is_by_heads ? shape.tokens * step : step, rows.col_stride}};
}

enum class Positions { numbered, i32_array, i64_array };

struct Case {
  RotaryOptions options{.config = small};
  Positions positions = Positions::numbered;
  bool in_place = false;
  Order from_order = Order::tokens_first, to_order = Order::tokens_first;
  Placement from{}, to{}, cosines{}, sines{};
};

std::vector<std::int64_t> positions_of(const Shape &shape, const Case &of) {
  std::vector<std::int64_t> positions;
  for (std::int64_t token = 0; token < shape.tokens; ++token)
    positions.push_back(of.positions == Positions::numbered ? of.options.first_position + token
                                                            : (token * 7 + 10) % 11);
  return positions;
}

reference::Matrix reordered(const reference::Matrix &values, const Shape &shape, Order from, Order to) {
  if (from == to)
    return values;
  reference::Matrix result(values.rows, values.cols);
  for (std::int64_t token = 0; token < shape.tokens; ++token)
    for (std::int64_t head = 0; head < shape.heads; ++head)
      for (std::int64_t i = 0; i < shape.elements; ++i) {
        const std::int64_t by_token = token * shape.heads + head, by_head = head * shape.tokens + token;
        const bool is_by_heads = from == Order::heads_first;
        result.at(is_by_heads ? by_token : by_head, i) = values.at(is_by_heads ? by_head : by_token, i);
      }
  return result;
}

template <class T, class C = f32> void check(const Shape &shape, const Case &of = {}) {
  SCOPED_TRACE(element_type<T>.name() + ", tables of " + element_type<C>.name() + " [" +
               std::to_string(shape.tokens) + ", " + std::to_string(shape.heads) + ", " +
               std::to_string(shape.elements) + "], " + std::to_string(shape.pairs) + " pairs");
  const std::int64_t rows = shape.tokens * shape.heads;
  const std::vector<std::int64_t> positions = positions_of(shape, of);
  const std::int64_t rows_of_table =
      of.positions == Positions::numbered ? of.options.first_position + shape.tokens : 11;
  Filled<T> x("x", rows, shape.elements, of.from, 1, 3);
  const Filled<C> cos("cos", rows_of_table, shape.pairs, of.cosines, 2),
      sin("sin", rows_of_table, shape.pairs, of.sines, 3);
  Written<T> apart("y", rows, shape.elements, of.to);
  reference::Placed<T> &y = of.in_place ? x.memory : apart.memory;
  const Order to_order = of.in_place ? of.from_order : of.to_order;
  const TensorView<T, 3> from = tensor(x.view(), shape, of.from_order),
                         to = tensor(y.view(), shape, to_order);
  const Buffer<i32> narrow(device(), std::vector<i32>(positions.begin(), positions.end()));
  const Buffer<i64> wide_positions(device(), positions);
  if (of.positions == Positions::numbered)
    kernels::rotary_embedding(device(), from, cos.view(), sin.view(), to, of.options);
  else if (of.positions == Positions::i32_array)
    kernels::rotary_embedding(device(), from, cos.view(), sin.view(), to, VectorView<const i32>(narrow),
                              of.options);
  else
    kernels::rotary_embedding(device(), from, cos.view(), sin.view(), to, VectorView(wide_positions),
                              of.options);
  device().synchronize();

  std::vector<std::int64_t> of_rows;
  for (std::int64_t row = 0; row < rows; ++row)
    of_rows.push_back(positions[static_cast<std::size_t>(
        of.from_order == Order::heads_first ? row % shape.tokens : row / shape.heads)]);
  const reference::Matrix expected = reference::rotary_embedding(
      x.values, cos.values, sin.values,
      {of_rows, of.options.pairs == RotaryPairs::interleaved, of.options.inverse});
  expect_result(y, reordered(expected, shape, of.from_order, to_order),
                reference::elementwise_tolerance(element_type<T>));
}

// Both kinds of pairs, in place and not.
template <class T, class C = f32> void check_forms(const Shape &shape, const Case &of = {}) {
  for (RotaryPairs pairs : {RotaryPairs::halves, RotaryPairs::interleaved})
    for (bool in_place : {false, true}) {
      SCOPED_TRACE(std::string(pairs == RotaryPairs::halves ? "halves" : "interleaved") +
                   (in_place ? ", in place" : ""));
      Case one = of;
      one.options.pairs = pairs;
      one.in_place = in_place;
      check<T, C>(shape, one);
    }
}

template <class T> class Rotary : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(Rotary, Types);

TYPED_TEST(Rotary, AnyShape) {
  for (const RotaryConfig &config : {small, wide})
    for (std::int64_t tokens : {0, 1, 3, 9})
      for (std::int64_t heads : {0, 1, 2, 5})
        for (const auto &[elements, pairs] :
             {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 1}, {34, 17}, {64, 32}, {65, 32}, {80, 40}})
          check_forms<TypeParam>({tokens, heads, elements, pairs}, {.options = {.config = config}});
}
// Elements behind the pairs are copied, or left alone in place.
TYPED_TEST(Rotary, SomeElements) {
  for (const RotaryConfig &config : {small, wide})
    for (std::int64_t pairs : {0, 1, 7, 8, 16, 19, 20})
      check_forms<TypeParam>({.elements = 41, .pairs = pairs}, {.options = {.config = config}});
}
TYPED_TEST(Rotary, AnyStrides) {
  for (const RotaryConfig &config : {small, wide})
    for (const Placement &at : {Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check_forms<TypeParam>({}, {.options = {.config = config}, .from = at});
      check_forms<TypeParam>({}, {.options = {.config = config}, .to = at});
      check_forms<TypeParam>({}, {.options = {.config = config}, .cosines = at});
      check_forms<TypeParam>({}, {.options = {.config = config}, .sines = at});
    }
}
TYPED_TEST(Rotary, HeadsBeforeTokens) {
  for (const RotaryConfig &config : {small, wide})
    for (Order from : {Order::tokens_first, Order::heads_first})
      for (Order to : {Order::tokens_first, Order::heads_first})
        check_forms<TypeParam>({}, {.options = {.config = config}, .from_order = from, .to_order = to});
}
TYPED_TEST(Rotary, PositionsOfTokens) {
  for (const RotaryConfig &config : {small, wide})
    for (Positions positions : {Positions::i32_array, Positions::i64_array})
      check_forms<TypeParam>({.tokens = 11}, {.options = {.config = config}, .positions = positions});
}
TYPED_TEST(Rotary, FirstPosition) {
  for (const RotaryConfig &config : {small, wide})
    check_forms<TypeParam>({}, {.options = {.first_position = 6, .config = config}});
}
TYPED_TEST(Rotary, Inverse) {
  for (const RotaryConfig &config : {small, wide})
    check_forms<TypeParam>({}, {.options = {.inverse = true, .config = config}});
}
TYPED_TEST(Rotary, TablesOfItsType) {
  for (const RotaryConfig &config : {small, wide})
    check_forms<TypeParam, TypeParam>({}, {.options = {.config = config}});
}
TYPED_TEST(Rotary, ItsOwnConfigs) {
  for (std::int64_t tokens : {0, 1, 17})
    for (std::int64_t heads : {0, 1, 2, 33})
      for (const auto &[elements, pairs] : {std::pair{0, 0}, {5, 2}, {128, 64}, {300, 150}})
        check_forms<TypeParam>({tokens, heads, elements, pairs}, {.options = {}});
}

TEST(RotaryDetails, AllConfigs) {
  for (const RotaryConfig &config : kernels::detail::rotary_configs()) {
    SCOPED_TRACE(describe_config(config));
    check_forms<bf16>({.tokens = 19, .heads = 37, .elements = 170, .pairs = 80},
                      {.options = {.config = config}});
  }
}

// By hand: the reference may be wrong as well. A quarter of a circle takes (1, 0) to (0, 1).
TEST(RotaryDetails, Quarters) {
  const Buffer<f32> x(device(), std::vector<f32>{1, 2, 3, 4, 5}), y(device(), 5),
      cos(device(), std::vector<f32>{1, 1, 0, 0}), sin(device(), std::vector<f32>{0, 0, 1, 1});
  auto rotated = [&](const RotaryOptions &options) {
    kernels::rotary_embedding(device(), TensorView<f32, 3>(x, {1, 1, 5}), MatrixView<f32>(cos, 2, 2),
                              MatrixView<f32>(sin, 2, 2), TensorView<f32, 3>(y, {1, 1, 5}), options);
    device().synchronize();
    return y.to_host();
  };
  using Numbers = std::vector<f32>;
  EXPECT_EQ(rotated({}), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(rotated({.first_position = 1}), (Numbers{-3, -4, 1, 2, 5}));
  EXPECT_EQ(rotated({.first_position = 1, .inverse = true}), (Numbers{3, 4, -1, -2, 5}));
  EXPECT_EQ(rotated({.pairs = RotaryPairs::interleaved, .first_position = 1}), (Numbers{-2, 1, -4, 3, 5}));
  EXPECT_EQ(rotated({.pairs = RotaryPairs::interleaved, .first_position = 1, .inverse = true}),
            (Numbers{2, -1, 4, -3, 5}));
}

// One pair with a NaN or an infinity leaves the others alone.
TEST(RotaryDetails, NanAndInfinityStayInTheirPair) {
  for (double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (RotaryPairs pairs : {RotaryPairs::halves, RotaryPairs::interleaved}) {
      reference::Placed<f32> x(device(), "x", 2, 20), cos(device(), "cos", 1, 10),
          sin(device(), "sin", 1, 10), y(device(), "y", 2, 20);
      reference::Matrix values(2, 20), tables(1, 10);
      std::ranges::fill(values.values, 1.0);
      std::ranges::fill(tables.values, 0.5);
      values.at(1, 4) = number;
      x.fill(values);
      cos.fill(tables);
      sin.fill(tables);
      const Shape shape{1, 2, 20, 10};
      kernels::rotary_embedding(device(), tensor(x.view(), shape, Order::tokens_first), cos.view(),
                                sin.view(), tensor(y.view(), shape, Order::tokens_first),
                                {.pairs = pairs, .config = small});
      const reference::Matrix got = y.download();
      const std::int64_t other = pairs == RotaryPairs::halves ? 14 : 5;
      for (std::int64_t r = 0; r < 2; ++r)
        for (std::int64_t c = 0; c < 20; ++c)
          EXPECT_EQ(std::isfinite(got.at(r, c)), r == 0 || (c != 4 && c != other)) << r << ", " << c;
    }
}

}   // namespace
}   // namespace tile
