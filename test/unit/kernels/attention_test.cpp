// SPDX-License-Identifier: MIT
// Attention: heads anywhere in memory, shared keys, results in place of queries, and what is refused.
#include "on_device.h"

#include <tile/attention.h>

#include <gmock/gmock.h>

#include <limits>

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
  const View odd(memory.data(), {4, 8, 24});
  EXPECT_THAT(refusal(odd, k, v, odd), HasSubstr("16, 32, 64, 128 and 256 are supported"));
  EXPECT_THAT(refusal(q, k, v, View(o.data, {4, 9, 16})),
              HasSubstr("o has the shape [4, 9, 16], q [4, 8, 16]"));
  EXPECT_THAT(refusal(q, k, View(v.data, {2, 9, 16}), o),
              HasSubstr("v has the shape [2, 9, 16], k [2, 8, 16]"));
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

}   // namespace
}   // namespace tile
