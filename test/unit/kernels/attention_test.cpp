// SPDX-License-Identifier: MIT
// Attention: heads anywhere in memory, shared keys, results in place of queries, and what is refused.
#include "on_device.h"

#include <tile/attention.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

namespace tile {
namespace {

using kernels::AttentionConfig;
using View = TensorView<f16, 3>;
constexpr AttentionConfig small{.block_m = 32, .block_n = 16};

// [heads, rows, 16] numbers, as [rows, heads, 16] in memory.
struct Interleaved {
  std::int64_t heads, rows;
  reference::Matrix values;   // heads one below the other
  Buffer<f16> buffer;
  Interleaved(std::int64_t h, std::int64_t n, std::mt19937_64 &source)
      : heads(h), rows(n), values(reference::random_matrix(h * n, 16, element_type<f16>, source)),
        buffer(device(), static_cast<std::size_t>(h * n * 16)) {
    std::vector<f16> elements(buffer.size());
    for (std::int64_t row = 0; row < h * n; ++row)
      for (std::int64_t d = 0; d < 16; ++d)
        elements[static_cast<std::size_t>((row % n * h + row / n) * 16 + d)] =
            numeric::cast<f16>(values.at(row, d) *= 2);
    device().copy_in(buffer.data(), elements.data(), elements.size() * sizeof(f16));
    for (double &value : values.values)
      value = numeric::cast<double>(numeric::cast<f16>(value));
  }
  View view() const { return {buffer.data(), {heads, rows, 16}, {16, heads * 16, 1}}; }
  void expect(const reference::Matrix &expected) const {
    const std::vector<f16> elements = buffer.to_host();
    const double allowed = reference::attention_tolerance(element_type<f16>).absolute;
    for (std::int64_t row = 0; row < heads * rows; ++row)
      for (std::int64_t d = 0; d < 16; ++d) {
        const double got = numeric::cast<double>(
            elements[static_cast<std::size_t>((row % rows * heads + row / rows) * 16 + d)]);
        EXPECT_NEAR(got, expected.at(row, d), allowed * 2) << "row " << row << ", element " << d;
      }
  }
};

TEST(Attention, HeadsBetweenEachOtherAndKeysThatAreShared) {
  std::mt19937_64 source(7);
  for (bool causal : {false, true}) {
    const Interleaved q(4, 37, source), k(2, 45, source), v(2, 45, source), o(4, 37, source);
    kernels::attention(device(), q.view(), k.view(), v.view(), o.view(), {.causal = causal, .config = small});
    device().synchronize();
    o.expect(reference::attention(q.values, k.values, v.values, {4, 2, 37, 45, causal}));
  }
}

// Sections of two and of one head; blocks of queries go up in one and down in the other.
TEST(Attention, CausalHeadsInSections) {
  std::mt19937_64 source(8);
  AttentionConfig by_descriptors = small;
  by_descriptors.rows = kernels::RowsBy::descriptors;
  for (int heads : {1, 3}) {
    const Interleaved q(heads, 70, source), k(heads, 70, source), v(heads, 70, source), o(heads, 70, source);
    kernels::attention(device(), q.view(), k.view(), v.view(), o.view(),
                       {.causal = true, .config = by_descriptors});
    device().synchronize();
    o.expect(reference::attention(q.values, k.values, v.values, {heads, 1, 70, 70, true}));
  }
}

// What each program takes: its block of its head.
void take_blocks(Ptr<i32> out, Int heads, Int blocks, Int section, const Launch &) {
  const auto [block, head] = kernels::detail::block_of_program(true, true, heads, blocks, section);
  store(out + program_id(0), head * blocks + block);
}
const Kernel<&take_blocks> taken{
    .name = "taken", .grid = [](auto &, auto, int heads, int blocks, int) { return Grid{heads * blocks}; }};

// CTAs take each `ctas`-th program. A block sees as many keys as there are up to it.
TEST(Attention, CtasGetEqualShares) {
  constexpr int ctas = 132;
  for (const auto &[heads, blocks, section] :
       {std::tuple{16, 128, 4}, {64, 32, 16}, {32, 64, 8}, {8, 128, 2}, {32, 32, 16}}) {
    const int programs = heads * blocks;
    Buffer<i32> out(device(), static_cast<std::size_t>(programs));
    taken(device(), out, heads, blocks, section);
    device().synchronize();
    std::vector<i32> places = out.to_host();
    std::vector<int> shares(ctas);
    for (int program = 0; program < programs; ++program)
      shares[static_cast<std::size_t>(program % ctas)] +=
          places[static_cast<std::size_t>(program)] % blocks + 1;
    const double mean = std::accumulate(shares.begin(), shares.end(), 0.0) / ctas;
    EXPECT_LT(*std::ranges::max_element(shares), 1.02 * mean) << heads << " heads of " << blocks << " blocks";
    std::ranges::sort(places);
    for (int place = 0; place < programs; ++place)
      EXPECT_EQ(places[static_cast<std::size_t>(place)], place);
  }
}

TEST(Attention, SectionsAreEvenInNumber) {
  const auto heads_of_section = [](std::int64_t heads, std::int64_t key_heads, std::int64_t keys) {
    f16 *const nowhere = nullptr;
    const auto stack = [&](std::int64_t count, std::int64_t rows) {
      return kernels::detail::stack_of(View(nowhere, {count, rows, 128}, {rows * 128, 128, 1}));
    };
    const OnDevice on = device();
    const kernels::detail::AttentionOperands of{
        stack(heads, 64), stack(key_heads, keys), stack(key_heads, keys), stack(heads, 64), {}, {}};
    return kernels::detail::attention_shape(kernels::detail::Operands("attention", on.where), of, {}).section;
  };
  EXPECT_EQ(heads_of_section(16, 16, 64), 8) << "all would fit into a cache: two sections";
  EXPECT_EQ(heads_of_section(16, 16, 16384), 4) << "8 MB of keys and values for each head";
  EXPECT_EQ(heads_of_section(20, 20, 16384), 4) << "six sections rather than five";
  EXPECT_EQ(heads_of_section(3, 3, 64), 2);
  EXPECT_EQ(heads_of_section(1, 1, 64), 1);
  EXPECT_EQ(heads_of_section(32, 4, 64), 16) << "heads that share keys stay together";
  EXPECT_EQ(heads_of_section(24, 1, 64), 12) << "but for those of a single head of keys";
  EXPECT_EQ(heads_of_section(0, 2, 64), 1);
  EXPECT_EQ(heads_of_section(0, 0, 64), 1);
  EXPECT_EQ(heads_of_section(4, 4, 0), 2);
}

TEST(Attention, TheFirstOfManyQueriesSeeNothing) {
  std::mt19937_64 source(8);
  const Interleaved q(1, 40, source), k(1, 5, source), v(1, 5, source), o(1, 40, source);
  kernels::attention(device(), q.view(), k.view(), v.view(), o.view(), {.causal = true, .config = small});
  device().synchronize();
  const reference::Matrix expected = reference::attention(q.values, k.values, v.values, {1, 1, 40, 5, true});
  EXPECT_EQ(expected.at(34, 3), 0);
  EXPECT_NE(expected.at(35, 3), 0);
  o.expect(expected);
}

TEST(Attention, InPlaceOfTheQueries) {
  std::mt19937_64 source(9);
  const Interleaved q(3, 33, source), k(3, 20, source), v(3, 20, source);
  kernels::attention(device(), q.view(), k.view(), v.view(), q.view(), {.config = small});
  device().synchronize();
  q.expect(reference::attention(q.values, k.values, v.values, {3, 1, 33, 20, false}));
}

std::string refusal(const View &q, const View &k, const View &v, const View &o,
                    const kernels::AttentionOptions &options = {.config = small}) {
  try {
    kernels::attention(device(), q, k, v, o, options);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Attention, RowsByDescriptorsAreAligned) {
  using ::testing::HasSubstr;
  const kernels::AttentionOptions by_descriptors{
      .config = AttentionConfig{.block_m = 32, .block_n = 16, .rows = kernels::RowsBy::descriptors}};
  Buffer<f16> memory(device(), 1 << 16);
  const View q(memory.data(), {2, 8, 16}), k(memory.data() + 4096, {2, 8, 16}),
      o(memory.data() + 8192, {2, 8, 16});
  EXPECT_EQ(refusal(q, k, k, o, by_descriptors), "");
  const char *why = "an address or a stride of q, k, v or o is not a multiple of 16 bytes, or negative";
  EXPECT_THAT(refusal(View(q.data + 1, {2, 8, 16}), k, k, o, by_descriptors), HasSubstr(why));
  EXPECT_THAT(refusal(q, View(k.data, {2, 8, 16}, {256, 20, 1}), k, o, by_descriptors), HasSubstr(why));
  EXPECT_THAT(refusal(q, k, View(k.data, {2, 8, 16}, {130, 16, 1}), o, by_descriptors), HasSubstr(why));
  EXPECT_EQ(refusal(View(q.data + 1, {2, 8, 16}), k, k, o), "") << "by pointers";
}

TEST(Attention, WhatDoesNotFitIsRefused) {
  using ::testing::HasSubstr;
  Buffer<f16> memory(device(), 1 << 16);
  const View q(memory.data(), {4, 8, 16}), k(memory.data() + 4096, {2, 8, 16}),
      v = k, o(memory.data() + 8192, {4, 8, 16});
  EXPECT_EQ(refusal(q, k, v, o), "");
  const View wide(memory.data(), {4, 8, 257}), of_wide(memory.data(), {2, 8, 257});
  EXPECT_THAT(refusal(wide, of_wide, v, o), HasSubstr("the rows of q have 257 elements; 1 to 256 are"));
  EXPECT_THAT(refusal(q, k, of_wide, wide), HasSubstr("the rows of v have 257 elements; 1 to 256 are"));
  EXPECT_THAT(
      refusal(q, k, v, View(o.data, {4, 9, 16})),
      HasSubstr("o has the shape [4, 9, 16]; with q of [4, 8, 16] and v of [2, 8, 16], it must be [4, 8, "
                "16]"));
  EXPECT_THAT(refusal(q, k, View(v.data, {2, 9, 16}), o),
              HasSubstr("v has the shape [2, 9, 16], k [2, 8, 16]; their heads and keys must be as many"));
  EXPECT_THAT(refusal(q, View(k.data, {2, 8, 32}), View(k.data, {2, 8, 32}), o),
              HasSubstr("the rows of k have 32 elements, those of q 16"));
  EXPECT_THAT(refusal(q, View(k.data, {3, 8, 16}), View(k.data, {3, 8, 16}), o),
              HasSubstr("q has 4 heads, which is not a multiple of k's 3"));
  EXPECT_THAT(refusal(View(q.data, {4, 8, 16}, {256, 32, 2}), k, v, o),
              HasSubstr("the elements of a row of q are 2 apart"));
  EXPECT_THAT(refusal(q, k, v, View(o.data, {4, 8, 16}, {0, 16, 1})),
              HasSubstr("o is written, but several of its elements share an address: its shape is [4, 8, "
                        "16], its strides are 0, 16 and 1"));
  EXPECT_THAT(refusal(q, k, v, View(o.data, {4, 8, 16}, {120, 16, 1})), HasSubstr("share an address"));
  EXPECT_THAT(refusal(q, View(o.data + 64, {2, 8, 16}), v, o), HasSubstr("overlap"));
  for (float scale : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THAT(refusal(q, k, v, o, {.scale = scale, .config = small}), HasSubstr("it must be positive"));
  EXPECT_THAT(refusal(q, k, v, o, {.config = AttentionConfig{.block_m = 0}}), HasSubstr("block_m"));
}

TEST(Attention, FormsThatDoNotFitAreRefused) {
  using ::testing::HasSubstr;
  Buffer<f16> memory(device(), 1 << 16);
  const View q(memory.data(), {4, 8, 16}), k(memory.data() + 4096, {2, 8, 16}),
      o(memory.data() + 8192, {4, 8, 16});
  Buffer<f32> numbers(device(), 64);
  EXPECT_THAT(refusal(q, k, k, o, {.window = {.before = -1}, .config = small}),
              HasSubstr("window.before is -1; it must not be negative"));
  EXPECT_THAT(refusal(q, k, k, o, {.causal = true, .window = {.after = 3}, .config = small}),
              HasSubstr("causal and window.after are given"));
  EXPECT_THAT(refusal(q, k, k, o, {.soft_cap = -1, .config = small}), HasSubstr("soft_cap is -1"));
  EXPECT_THAT(refusal(q, k, k, o, {.slopes = VectorView<const f32>(numbers.data(), 3), .config = small}),
              HasSubstr("there are 3 slopes for 4 heads of q"));
  auto with = [&](const kernels::AttentionExtras<f16> &extras) {
    try {
      kernels::attention(device(), q, k, k, o, {.config = small}, extras);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const TensorView<const f16, 3> bias(memory.data() + 16384, {2, 8, 8});
  EXPECT_THAT(with({.bias = bias}), HasSubstr("the bias has the shape [2, 8, 8]; it must be [4 or 1, 8, 8]"));
  EXPECT_THAT(with({.bias = TensorView<const f16, 3>(o.data, {4, 8, 8})}), HasSubstr("o overlaps the bias"));
  EXPECT_THAT(with({.log_sum_exp = MatrixView<f32>(numbers.data(), 4, 7)}), HasSubstr("log_sum_exp"));
  EXPECT_THAT(with({.log_sum_exp = MatrixView<f32>(numbers.data(), 8, 4).transposed()}),
              HasSubstr("the elements of a row of log_sum_exp are 4 apart"));
  EXPECT_EQ(with({.log_sum_exp = MatrixView<f32>(numbers.data(), 4, 8)}), "");
}

// Dense operands whose rows may have any length.
struct Dense {
  std::int64_t heads, rows, length;
  reference::Matrix values;
  Buffer<f16> buffer;
  Dense(std::int64_t h, std::int64_t n, std::int64_t d, std::mt19937_64 &source, double factor = 2)
      : heads(h), rows(n), length(d), values(reference::random_matrix(h * n, d, element_type<f16>, source)),
        buffer(device(), static_cast<std::size_t>(h * n * d)) {
    std::vector<f16> elements;
    for (double &value : values.values) {
      elements.push_back(numeric::cast<f16>(value * factor));
      value = numeric::cast<double>(elements.back());
    }
    device().copy_in(buffer.data(), elements.data(), elements.size() * sizeof(f16));
  }
  View view() const { return {buffer.data(), {heads, rows, length}}; }
};

void expect_near(const std::vector<f16> &got, const reference::Matrix &expected, const std::string &what) {
  const double allowed = 2 * reference::attention_tolerance(element_type<f16>).absolute;
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    largest = std::max(largest, std::fabs(numeric::cast<double>(got[i]) - expected.values[i]));
  EXPECT_LE(largest, allowed) << what;
}

TEST(Attention, RowsOfAnyLength) {
  std::mt19937_64 source(10);
  for (const auto &[length, value_length] : {std::pair{1, 1}, {5, 20}, {24, 7}, {40, 80}, {250, 33}}) {
    const Dense q(2, 35, length, source), k(1, 45, length, source), v(1, 45, value_length, source),
        o(2, 35, value_length, source);
    kernels::attention(device(), q.view(), k.view(), v.view(), o.view(), {.causal = true, .config = small});
    device().synchronize();
    expect_near(o.buffer.to_host(), reference::attention(q.values, k.values, v.values, {2, 2, 35, 45, true}),
                std::to_string(length) + " and " + std::to_string(value_length));
  }
}

// All windows, also those that lie outside the keys, with and without what else changes scores.
TEST(Attention, Windows) {
  std::mt19937_64 source(11);
  using kernels::RowsBy;
  for (const auto &[queries, keys] : {std::pair{70, 50}, {30, 90}, {1, 40}})
    for (RowsBy rows : {RowsBy::pointers, RowsBy::descriptors})
      for (std::optional<int> before : {std::optional<int>(), {0}, {5}, {40}, {1000000}})
        for (std::optional<int> after : {std::optional<int>(), {0}, {9}, {2147483646}}) {
          const Dense q(1, queries, 16, source), k(1, keys, 16, source), v(1, keys, 16, source),
              o(1, queries, 16, source);
          AttentionConfig config = small;
          config.rows = rows;
          kernels::attention(device(), q.view(), k.view(), v.view(), o.view(),
                             {.window = {before, after}, .config = config});
          device().synchronize();
          reference::AttentionShape shape{1, 1, queries, keys};
          shape.before = before;
          shape.after = after;
          expect_near(o.buffer.to_host(), reference::attention(q.values, k.values, v.values, shape),
                      std::to_string(queries) + " x " + std::to_string(keys) + ", before " +
                          (before ? std::to_string(*before) : "all") + ", after " +
                          (after ? std::to_string(*after) : "all"));
        }
}

TEST(Attention, ScoresAreCappedAndBiased) {
  std::mt19937_64 source(12);
  const Dense q(4, 40, 16, source), k(2, 50, 16, source), v(2, 50, 16, source), o(4, 40, 16, source),
      bias(4, 40, 50, source), shared_bias(1, 40, 50, source);
  const std::vector<float> slopes{0.5f, 0.25f, 0, 0.125f};
  const Buffer<f32> device_slopes(device(), slopes);
  const std::vector<double> host_slopes(slopes.begin(), slopes.end());
  for (int form = 0; form < 16; ++form) {
    kernels::AttentionOptions options{.causal = form % 2 == 1, .config = small};
    kernels::AttentionExtras<f16> extras;
    reference::AttentionShape shape{4, 2, 40, 50, options.causal};
    if (form & 2)
      shape.soft_cap = options.soft_cap = 1.5f;
    if (form & 4) {
      options.slopes = device_slopes;
      shape.slopes = host_slopes;
    }
    if (form & 8) {
      const Dense &of = form & 1 ? bias : shared_bias;
      extras.bias = of.view();
      shape.bias = &of.values;
    }
    Buffer<f32> sums(device(), 160);
    extras.log_sum_exp = MatrixView<f32>(sums, 4, 40);
    kernels::attention(device(), q.view(), k.view(), v.view(), o.view(), options, extras);
    device().synchronize();
    std::vector<std::int64_t> rows(160);
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<double> expected_sums;
    expect_near(o.buffer.to_host(),
                reference::attention_rows(q.values, k.values, v.values, shape, rows, &expected_sums),
                "form " + std::to_string(form));
    const std::vector<float> got = sums.to_host();
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(static_cast<double>(got[i]), expected_sums[i], 1e-3) << "form " << form << ", row " << i;
  }
}

TEST(Attention, TheSumOfNoKeysIsMinusInfinity) {
  std::mt19937_64 source(13);
  const Dense q(1, 40, 16, source), k(1, 5, 16, source), o(1, 40, 16, source);
  Buffer<f32> sums(device(), std::vector<f32>(40, 7));
  kernels::attention(device(), q.view(), k.view(), k.view(), o.view(), {.causal = true, .config = small},
                     {.log_sum_exp = MatrixView<f32>(sums, 1, 40)});
  device().synchronize();
  const std::vector<float> got = sums.to_host();
  EXPECT_EQ(got[34], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isfinite(got[35]));
}

// Keys of the same eight alone, and scores of the last head halved.
Tensor<f32> in_eights(const Tensor<f32> &scores, const kernels::ScorePlace &at) {
  auto halved = where(at.head == 1, scores * 0.5, scores);
  return where(at.query / 8 == at.key / 8, halved, -std::numeric_limits<float>::infinity());
}

TEST(Attention, AFunctionOfScores) {
  std::mt19937_64 source(14);
  const Dense q(2, 40, 16, source), k(2, 37, 16, source), v(2, 37, 16, source), o(2, 40, 16, source);
  kernels::attention<in_eights>(device(), q.view(), k.view(), v.view(), o.view(), {.config = small});
  device().synchronize();
  const std::vector<f16> got = o.buffer.to_host();
  for (std::int64_t row = 0; row < 80; ++row) {
    const std::int64_t query = row % 40, first = query / 8 * 8, end = std::min<std::int64_t>(first + 8, 37);
    reference::Matrix one(1, 16), keys(end - first, 16), values(end - first, 16);
    for (std::int64_t d = 0; d < 16; ++d) {
      one.at(0, d) = q.values.at(row, d);
      for (std::int64_t j = first; j < end; ++j) {
        keys.at(j - first, d) = k.values.at(row / 40 * 37 + j, d);
        values.at(j - first, d) = v.values.at(row / 40 * 37 + j, d);
      }
    }
    reference::AttentionShape shape{1, 1, 1, end - first};
    shape.scale = row >= 40 ? 0.125 : 0.25;
    expect_near({got.begin() + row * 16, got.begin() + row * 16 + 16},
                reference::attention(one, keys, values, shape), "row " + std::to_string(row));
  }
}

}   // namespace
}   // namespace tile
