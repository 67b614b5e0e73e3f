// SPDX-License-Identifier: MIT
// The gradients of attention: all forms beside float64, and what is refused.
#include "on_device.h"

#include <tile/attention_backward.h>

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace tile {
namespace {

using kernels::AttentionGradientConfig, kernels::RowsBy;
using View = TensorView<f16, 3>;
constexpr AttentionGradientConfig small_tiles{.block_m = 32, .block_n = 16};

// A stack of dense matrices of random numbers, or of a number that no result has.
struct Stack {
  std::int64_t heads, rows, length;
  reference::Matrix values;
  Buffer<f16> buffer;
  Stack(std::int64_t h, std::int64_t n, std::int64_t d)
      : heads(h), rows(n), length(d),
        buffer(device(), std::vector<f16>(static_cast<std::size_t>(h * n * d), f16(7.0f))) {}
  Stack(std::int64_t h, std::int64_t n, std::int64_t d, std::mt19937_64 &source, double factor = 2)
      : Stack(h, n, d) {
    values = reference::random_matrix(h * n, d, element_type<f16>, source);
    for (double &value : values.values)
      value *= factor;
    copy_in();
  }
  void copy_in() {
    std::vector<f16> elements;
    for (double &value : values.values) {
      elements.push_back(numeric::cast<f16>(value));
      value = numeric::cast<double>(elements.back());
    }
    device().copy_in(buffer.data(), elements.data(), elements.size() * sizeof(f16));
  }
  void add(double number) {
    for (double &value : values.values)
      value += number;
    copy_in();
  }
  // As a bias: query 3 sees nothing, and nobody sees key 5.
  void hide_some() {
    for (std::int64_t row = 0; row < values.rows; ++row)
      for (std::int64_t col = 0; col < values.cols; ++col)
        if (row == 3 || col == 5)
          values.at(row, col) = -std::numeric_limits<double>::infinity();
    copy_in();
  }
  View view() const { return {buffer.data(), {heads, rows, length}}; }

  // The largest difference, relative to the largest number.
  double error(const reference::Matrix &expected) const {
    double largest = 0, magnitude = 1e-3;
    const std::vector<f16> got = buffer.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double difference = std::fabs(numeric::cast<double>(got[i]) - expected.values[i]);
      largest =
          std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
      magnitude = std::max(magnitude, std::fabs(expected.values[i]));
    }
    return largest / magnitude;
  }
};

struct Form {
  std::int64_t heads = 2, sharing = 1, queries = 40, keys = 50, length = 16, value_length = 16;
  kernels::AttentionBackwardOptions options{};
  bool has_slopes = false, has_bias = false, bias_hides = false;
  bool scores_are_low = false;   // about -64, and those of keys that do not exist are 0
};

// Forward and backward of random numbers, beside float64. `allowed`: P and dS are rounded to 11 bits.
void check_as_asked(const Form &form, const std::string &what, double allowed) {
  std::mt19937_64 source(1);
  const std::int64_t key_heads = form.heads / form.sharing;
  Stack q(form.heads, form.queries, form.length, source), k(key_heads, form.keys, form.length, source);
  if (form.scores_are_low) {
    q.add(4);
    k.add(-4);
  }
  const Stack v(key_heads, form.keys, form.value_length, source),
      o(form.heads, form.queries, form.value_length),
      grad_o(form.heads, form.queries, form.value_length, source, 1);
  Stack bias(1, form.has_bias ? form.queries : 0, form.keys, source);
  if (form.bias_hides)
    bias.hide_some();
  const Stack grad_q(form.heads, form.queries, form.length), grad_k(key_heads, form.keys, form.length),
      grad_v(key_heads, form.keys, form.value_length);
  std::vector<float> slopes;
  for (std::int64_t head = 0; head < form.heads; ++head)
    slopes.push_back(0.5f / static_cast<float>(head + 1));
  const Buffer<f32> device_slopes(device(), slopes);
  const std::vector<double> host_slopes(slopes.begin(), slopes.end());
  Buffer<f32> sums(device(), static_cast<std::size_t>(form.heads * form.queries));
  const MatrixView<f32> log_sum_exp(sums, form.heads, form.queries);

  kernels::AttentionBackwardOptions options = form.options;
  kernels::AttentionExtras<f16> extras{.log_sum_exp = log_sum_exp};
  reference::AttentionShape shape{form.heads, form.sharing, form.queries, form.keys, options.causal};
  shape.before = options.window.before;
  shape.after = options.window.after;
  shape.soft_cap = options.soft_cap;
  shape.scale = options.scale.value_or(0);
  if (form.has_slopes) {
    options.slopes = device_slopes;
    shape.slopes = host_slopes;
  }
  if (form.has_bias) {
    extras.bias = bias.view();
    shape.bias = &bias.values;
  }
  kernels::attention(device(), q.view(), k.view(), v.view(), o.view(),
                     {.scale = options.scale,
                      .causal = options.causal,
                      .window = options.window,
                      .soft_cap = options.soft_cap,
                      .slopes = options.slopes,
                      .config = kernels::AttentionConfig{.block_m = 32, .block_n = 16}},
                     extras);
  kernels::attention_backward(device(), q.view(), k.view(), v.view(), o.view(), grad_o.view(), log_sum_exp,
                              {grad_q.view(), grad_k.view(), grad_v.view()}, options, extras.bias);
  device().synchronize();
  const reference::AttentionGradients expected =
      reference::attention_gradients(q.values, k.values, v.values, grad_o.values, shape);
  EXPECT_LE(grad_q.error(expected.q), allowed) << what << ", grad_q";
  EXPECT_LE(grad_k.error(expected.k), allowed) << what << ", grad_k";
  EXPECT_LE(grad_v.error(expected.v), allowed) << what << ", grad_v";
}

// In two passes over the scores, and in one.
void check(Form form, const std::string &what, double allowed = 0.01) {
  form.options.one_pass = false;
  check_as_asked(form, what, allowed);
  form.options.one_pass = true;
  form.options.query_config.reset();
  check_as_asked(form, what + ", in one pass", allowed);
}

Form with_config(AttentionGradientConfig config) {
  Form form;
  form.options.key_config = form.options.query_config = config;
  return form;
}

TEST(AttentionBackward, Configs) {
  for (RowsBy rows : {RowsBy::pointers, RowsBy::descriptors})
    for (bool causal : {false, true})
      for (const auto &[block_m, block_n] : {std::pair{16, 16}, {32, 16}, {16, 32}, {64, 64}}) {
        Form form = with_config({.block_m = block_m, .block_n = block_n, .rows = rows});
        form.options.causal = causal;
        check(form, std::to_string(block_m) + " x " + std::to_string(block_n) + (causal ? ", causal" : ""));
      }
}

TEST(AttentionBackward, HeadsThatShareKeysAndRowsOfAnyLength) {
  for (const auto &[length, value_length] : {std::pair{16, 16}, {5, 20}, {40, 24}, {64, 33}}) {
    Form form = with_config(small_tiles);
    form.heads = 6;
    form.sharing = 3;
    form.length = length;
    form.value_length = value_length;
    form.options.causal = true;
    check(form, std::to_string(length) + " and " + std::to_string(value_length));
  }
}

TEST(AttentionBackward, Windows) {
  for (const auto &[queries, keys] : {std::pair{70, 50}, {30, 90}, {1, 40}, {40, 1}})
    for (std::optional<int> before : {std::optional<int>(), {0}, {5}, {40}, {1000000}})
      for (std::optional<int> after : {std::optional<int>(), {0}, {9}}) {
        Form form = with_config(small_tiles);
        form.queries = queries;
        form.keys = keys;
        form.options.window = {before, after};
        check(form, std::to_string(queries) + " x " + std::to_string(keys) + ", before " +
                        (before ? std::to_string(*before) : "all") + ", after " +
                        (after ? std::to_string(*after) : "all"));
      }
}

TEST(AttentionBackward, ScoresAreScaledCappedAndBiased) {
  for (int form_bits = 0; form_bits < 16; ++form_bits) {
    Form form = with_config(small_tiles);
    form.options.causal = form_bits & 1;
    form.options.soft_cap = form_bits & 2 ? 1.5f : 0;
    form.options.scale = form_bits & 8 ? 0.5f : 0.3f;
    form.has_slopes = form_bits & 4;
    form.has_bias = form.bias_hides = form_bits & 8;
    check(form, "form " + std::to_string(form_bits));
  }
}

TEST(AttentionBackward, NothingToSum) {
  for (const auto &[queries, keys] : {std::pair{0, 20}, {20, 0}, {0, 0}}) {
    Form form = with_config(small_tiles);
    form.queries = queries;
    form.keys = keys;
    check(form, std::to_string(queries) + " x " + std::to_string(keys));
  }
}

TEST(AttentionBackward, TheKernelsChoose) {
  check_as_asked(Form(), "any", 0.01);
  Form form;
  form.options.numerics = kernels::Numerics::batch_invariant;
  check_as_asked(form, "batch_invariant", 0.01);
}

// The bits of other gradients do not depend on who computes those of queries.
TEST(AttentionBackward, OnePassAddsUpGradientsOfQueriesAlone) {
  std::mt19937_64 source(3);
  const Stack q(2, 40, 16, source), k(2, 50, 16, source), v(2, 50, 16, source), o(2, 40, 16),
      grad_o(2, 40, 16, source);
  Buffer<f32> sums(device(), 80);
  const MatrixView<f32> log_sum_exp(sums, 2, 40);
  kernels::attention(device(), q.view(), k.view(), v.view(), o.view(), {}, {.log_sum_exp = log_sum_exp});
  std::vector<std::vector<f16>> gradients[2];
  for (bool one_pass : {false, true}) {
    const Stack grad_q(2, 40, 16), grad_k(2, 50, 16), grad_v(2, 50, 16);
    kernels::attention_backward(device(), q.view(), k.view(), v.view(), o.view(), grad_o.view(), log_sum_exp,
                                {grad_q.view(), grad_k.view(), grad_v.view()},
                                {.key_config = small_tiles, .one_pass = one_pass});
    gradients[one_pass] = {grad_k.buffer.to_host(), grad_v.buffer.to_host()};
  }
  auto bits = [](const std::vector<f16> &numbers) {
    std::vector<std::uint16_t> all(numbers.size());
    std::memcpy(all.data(), numbers.data(), 2 * numbers.size());
    return all;
  };
  for (std::size_t i : {0U, 1U})
    EXPECT_EQ(bits(gradients[0][i]), bits(gradients[1][i])) << (i ? "grad_v" : "grad_k");
}

TEST(AttentionBackward, KeysThatDoNotExistHaveNoWeights) {
  for (bool causal : {false, true})
    for (RowsBy rows : {RowsBy::pointers, RowsBy::descriptors}) {
      Form form = with_config({.block_m = 32, .block_n = 32, .rows = rows});
      form.options.causal = causal;
      form.scores_are_low = true;
      check(form, std::string(causal ? "causal" : "full") + (rows == RowsBy::pointers ? ", pointers" : ""),
            0.03);
    }
}

// Weights of exp(+-hundreds): products of what is hidden may be infinite, and must not become NaN.
TEST(AttentionBackward, LargeScores) {
  Form form = with_config(small_tiles);
  form.options.scale = 60;
  form.options.causal = true;
  form.queries = 37;
  form.keys = 45;
  check(form, "large scores", 0.03);
}

TEST(AttentionBackward, WhatDoesNotFitIsRefused) {
  using ::testing::HasSubstr;
  Buffer<f16> memory(device(), 1 << 16);
  Buffer<f32> sums(device(), 64);
  const View q(memory.data(), {4, 8, 16}), k(memory.data() + 4096, {2, 8, 16}),
      o(memory.data() + 8192, {4, 8, 16}), grad_o(memory.data() + 12288, {4, 8, 16}),
      grad_q(memory.data() + 16384, {4, 8, 16}), grad_k(memory.data() + 20480, {2, 8, 16}),
      grad_v(memory.data() + 24576, {2, 8, 16});
  const MatrixView<f32> log_sum_exp(sums, 4, 8);
  auto refusal = [&](const View &of_o, const kernels::AttentionGradients<f16> &gradients,
                     const kernels::AttentionBackwardOptions &options = {.key_config = small_tiles,
                                                                         .query_config = small_tiles}) {
    try {
      kernels::attention_backward(device(), q, k, k, o, of_o, log_sum_exp, gradients, options);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(grad_o, {grad_q, grad_k, grad_v}), "");
  EXPECT_THAT(refusal(View(grad_o.data, {4, 8, 15}), {grad_q, grad_k, grad_v}),
              HasSubstr("grad_o has the shape [4, 8, 15], o [4, 8, 16]"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_q, grad_v}),
              HasSubstr("grad_k has the shape [4, 8, 16], k [2, 8, 16]"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, grad_k}), HasSubstr("grad_k overlaps grad_v"));
  EXPECT_THAT(refusal(grad_o, {q, grad_k, grad_v}), HasSubstr("grad_q overlaps q"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, View(k.data, {2, 8, 16})}), HasSubstr("grad_v overlaps k"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, View(grad_v.data, {2, 8, 16}, {256, 32, 2})}),
              HasSubstr("the elements of a row of grad_v are 2 apart"));
  EXPECT_THAT(refusal(grad_o, {View(grad_q.data + 1, {4, 8, 16}), grad_k, grad_v},
                      {.key_config = AttentionGradientConfig{.rows = RowsBy::descriptors}}),
              HasSubstr("key_config loads rows by descriptors"));
  EXPECT_THAT(
      refusal(grad_o, {grad_q, grad_k, grad_v}, {.query_config = AttentionGradientConfig{.block_n = 0}}),
      HasSubstr("block_n"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, grad_v}, {.soft_cap = -2}), HasSubstr("soft_cap is -2"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, grad_v},
                      {.numerics = kernels::Numerics::deterministic, .one_pass = true}),
              HasSubstr("one_pass adds up grad_q in another order in each run"));
  EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, grad_v}, {.query_config = small_tiles, .one_pass = true}),
              HasSubstr("query_config is of the second pass"));
  EXPECT_EQ(refusal(grad_o, {grad_q, grad_k, grad_v}, {.key_config = small_tiles, .one_pass = true}), "");
  for (int block_m : {48, 256})
    EXPECT_THAT(refusal(grad_o, {grad_q, grad_k, grad_v},
                        {.query_config = AttentionGradientConfig{.block_m = block_m}}),
                HasSubstr("query_config has block_m = " + std::to_string(block_m)));
}

}   // namespace
}   // namespace tile
