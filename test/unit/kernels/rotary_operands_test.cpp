// SPDX-License-Identifier: MIT
// Rotary position embeddings: positions that are no row, parts of one matrix, and what is refused.
#include "row_operands.h"

#include <tile/interpreter.h>
#include <tile/rotary.h>

#include <cmath>
#include <limits>
#include <memory>

namespace tile {
namespace {

using kernels::RotaryConfig;
using kernels::RotaryOptions;
using kernels::RotaryPairs;

const RotaryConfig small{.block_t = 1, .block_h = 2, .block_p = 8},
    wide{.block_t = 4, .block_h = 4, .block_p = 32};

// The error names the program, which knows its tokens.
TEST(RotaryOperands, PositionsThatAreNoRow) {
  for (const RotaryConfig &config : {small, wide})
    for (i32 wrong : {6, -1, std::numeric_limits<i32>::max(), std::numeric_limits<i32>::min()}) {
      SCOPED_TRACE(wrong);
      const Filled<f32> x("x", 9, 40), tables("cos", 6, 20);
      const Written<f32> y("y", 9, 40);
      const Buffer<i32> positions(device(), std::vector<i32>{5, 0, wrong});
      try {
        kernels::rotary_embedding(device(), TensorView<f32, 3>(x.view().data, {3, 3, 40}), tables.view(),
                                  tables.view(), TensorView<f32, 3>(y.view().data, {3, 3, 40}),
                                  VectorView(positions), {.config = config});
        device().synchronize();
        ADD_FAILURE() << "not refused";
      } catch (const Error &error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("the positions of the tokens of this program are rows of cos and sin"),
                  std::string::npos)
            << text;
      }
    }
}

// As on a GPU: NaN in the pairs of that token alone. What is behind them is copied.
TEST(RotaryOperands, PositionsThatAreNoRowAndAreNotChecked) {
  const std::unique_ptr<Device> unchecked = open_interpreter({.check_asserts = false});
  for (const RotaryConfig &config : {small, wide})
    for (RotaryPairs pairs : {RotaryPairs::halves, RotaryPairs::interleaved})
      for (i64 wrong : {std::int64_t{6}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
        const Buffer<f32> x(*unchecked, std::vector(3 * 2 * 10, 1.0f)), y(*unchecked, 3 * 2 * 10),
            tables(*unchecked, std::vector(6 * 4, 0.5f));
        const Buffer<i64> positions(*unchecked, std::vector<i64>{5, wrong, 0});
        kernels::rotary_embedding(*unchecked, TensorView<f32, 3>(x, {3, 2, 10}),
                                  MatrixView<f32>(tables, 6, 4), MatrixView<f32>(tables, 6, 4),
                                  TensorView<f32, 3>(y, {3, 2, 10}), VectorView(positions),
                                  {.pairs = pairs, .config = config});
        unchecked->synchronize();
        const std::vector<f32> got = y.to_host();
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_EQ(std::isnan(got[i]), i / 20 == 1 && i % 10 < 8) << wrong << ", element " << i;
      }
}

// Heads of queries and keys that lie in one matrix: each is rotated in its place, or from one part to
// another.
TEST(RotaryOperands, PartsOfOneMatrix) {
  constexpr std::int64_t tokens = 7, heads = 3, elements = 16;
  for (bool in_place : {true, false}) {
    Filled<bf16> qkv("qkv", tokens, 3 * heads * elements, {}, 1);
    const Filled<f32> cos("cos", tokens, 8, {}, 2), sin("sin", tokens, 8, {}, 3);
    auto part = [&](std::int64_t i) {
      return TensorView<bf16, 3>(qkv.view().data + i * heads * elements, {tokens, heads, elements},
                                 {3 * heads * elements, elements, 1});
    };
    kernels::rotary_embedding(device(), part(1), cos.view(), sin.view(), part(in_place ? 1 : 0));
    reference::Matrix expected = qkv.values, keys(tokens * heads, elements);
    std::vector<std::int64_t> of_rows;
    for (std::int64_t row = 0; row < keys.rows; ++row) {
      of_rows.push_back(row / heads);
      for (std::int64_t i = 0; i < elements; ++i)
        keys.at(row, i) = expected.at(row / heads, (heads + row % heads) * elements + i);
    }
    const reference::Matrix rotated = reference::rotary_embedding(keys, cos.values, sin.values, {of_rows});
    for (std::int64_t row = 0; row < keys.rows; ++row)
      for (std::int64_t i = 0; i < elements; ++i)
        expected.at(row / heads, ((in_place ? heads : 0) + row % heads) * elements + i) = rotated.at(row, i);
    expect_result(qkv.memory, expected, reference::elementwise_tolerance(element_type<bf16>));
  }
}

// Heads of x and y alternate in one matrix: they lie between each other, and share nothing.
TEST(RotaryOperands, EveryOtherHead) {
  constexpr std::int64_t tokens = 5, heads = 3, elements = 16, step = 2 * heads * elements;
  Filled<f32> both("both", tokens, step, {}, 1);
  const Filled<f32> cos("cos", tokens, 8, {}, 2), sin("sin", tokens, 8, {}, 3);
  auto every_other = [&](std::int64_t first) {
    return TensorView<f32, 3>(both.view().data + first, {tokens, heads, elements}, {step, 2 * elements, 1});
  };
  kernels::rotary_embedding(device(), every_other(0), cos.view(), sin.view(), every_other(elements));
  reference::Matrix x(tokens * heads, elements), expected = both.values;
  std::vector<std::int64_t> of_rows;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    of_rows.push_back(row / heads);
    for (std::int64_t i = 0; i < elements; ++i)
      x.at(row, i) = expected.at(row / heads, row % heads * 2 * elements + i);
  }
  const reference::Matrix y = reference::rotary_embedding(x, cos.values, sin.values, {of_rows});
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t i = 0; i < elements; ++i)
      expected.at(row / heads, (row % heads * 2 + 1) * elements + i) = y.at(row, i);
  expect_result(both.memory, expected, reference::elementwise_tolerance(element_type<f32>));
  expect_refused("rotary_embedding: y overlaps x, which is read while y is written", [&] {
    kernels::rotary_embedding(device(), every_other(0), cos.view(), sin.view(), every_other(elements - 1));
  });
}

TEST(RotaryOperands, Refuses) {
  Buffer<f32> memory(device(), 4096), results(device(), 4096), tables(device(), 4096);
  Buffer<i32> numbers(device(), 64);
  using Tensor3 = TensorView<f32, 3>;
  const Tensor3 x(memory, {5, 2, 8}), y(results, {5, 2, 8});
  const MatrixView<f32> cos(tables, 6, 4), sin(tables.data() + 100, 6, 4);
  auto run = [&](const Tensor3 &to, const MatrixView<f32> &c, const MatrixView<f32> &s,
                 const RotaryOptions &options = {}) {
    kernels::rotary_embedding(device(), x, c, s, to, options);
  };
  expect_refused("rotary_embedding: y has the shape [5, 8, 2], x [5, 2, 8]",
                 [&] { run(Tensor3(results, {5, 8, 2}), cos, sin); });
  expect_refused("rotary_embedding: sin has the shape [6, 3], cos [6, 4]",
                 [&] { run(y, cos, MatrixView<f32>(tables, 6, 3)); });
  expect_refused("rotary_embedding: cos has 5 columns, a head of x has 4 pairs of elements",
                 [&] { run(y, MatrixView<f32>(tables, 6, 5), MatrixView<f32>(tables, 6, 5)); });
  expect_refused("rotary_embedding: the positions of the 5 tokens begin with 2, cos and sin have 6 rows",
                 [&] { run(y, cos, sin, {.first_position = 2}); });
  expect_refused("rotary_embedding: the positions of the 5 tokens begin with -1, cos and sin have 6 rows",
                 [&] { run(y, cos, sin, {.first_position = -1}); });
  expect_refused("rotary_embedding: the positions of the 5 tokens begin with 9223372036854775807, cos and "
                 "sin have 6 rows",
                 [&] { run(y, cos, sin, {.first_position = std::numeric_limits<std::int64_t>::max()}); });
  expect_refused("rotary_embedding: y overlaps x, which is read while y is written",
                 [&] { run(Tensor3(memory.data() + 1, {5, 2, 8}), cos, sin); });
  expect_refused("rotary_embedding: y overlaps x, which is read while y is written",
                 [&] { run(Tensor3(memory.data(), {5, 2, 8}, {8, 40, 1}), cos, sin); });
  expect_refused("rotary_embedding: y overlaps cos, which is read while y is written",
                 [&] { run(y, MatrixView<f32>(results.data() + 79, 6, 4), sin); });
  expect_refused("rotary_embedding: y overlaps sin, which is read while y is written",
                 [&] { run(y, cos, MatrixView<f32>(results.data() + 79, 6, 4)); });
  expect_refused("rotary_embedding: y is written, but several of its elements share an address: its shape is "
                 "[5, 2, 8], its strides are 16, 0 and 1",
                 [&] { run(Tensor3(results.data(), {5, 2, 8}, {16, 0, 1}), cos, sin); });
  for (const auto &[config, field] : {std::pair{RotaryConfig{.block_t = 0}, "block_t"},
                                      {RotaryConfig{.block_h = 0}, "block_h"},
                                      {RotaryConfig{.block_p = 0}, "block_p"}})
    expect_refused("rotary_embedding: options.config: " + std::string(field) + " is 0; it must be at least 1",
                   [&, chosen = config] { run(y, cos, sin, {.config = chosen}); });
  auto run_at = [&](const VectorView<i32> &positions, const RotaryOptions &options = {}) {
    kernels::rotary_embedding(device(), x, cos, sin, y, positions, options);
  };
  expect_refused("rotary_embedding: positions has 4 elements, the tokens of x are 5",
                 [&] { run_at(VectorView<i32>(numbers.data(), 4)); });
  expect_refused("rotary_embedding: options.first_position is 3, but positions are given",
                 [&] { run_at(VectorView<i32>(numbers.data(), 5), {.first_position = 3}); });
  auto *in_y = reinterpret_cast<i32 *>(results.data());
  expect_refused("rotary_embedding: y overlaps positions, which is read while y is written",
                 [&] { run_at(VectorView<i32>(in_y + 79, 5)); });
}

}   // namespace
}   // namespace tile
