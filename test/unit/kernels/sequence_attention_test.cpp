// SPDX-License-Identifier: MIT
// Attention of sequences: lengths and pages by arrays, keys divided among programs, and what is refused.
#include "on_device.h"

#include <tile/sequence_attention.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tile {
namespace {

using kernels::SequenceAttentionConfig;
using kernels::SequenceAttentionOptions;
using View = TensorView<f16, 3>;
constexpr SequenceAttentionConfig small{.block_m = 16, .block_n = 16};

// Rows of [heads, length] numbers, in memory and as they are.
struct Rows {
  std::int64_t rows, heads, length;
  std::vector<double> values;
  Buffer<f16> buffer;
  Rows(std::int64_t n, std::int64_t h, std::int64_t d, std::mt19937_64 &source)
      : rows(n), heads(h), length(d), buffer(device(), static_cast<std::size_t>(n * h * d)) {
    std::normal_distribution<double> normal;
    std::vector<f16> elements;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      elements.push_back(numeric::cast<f16>(2 * normal(source)));
      values.push_back(numeric::cast<double>(elements.back()));
    }
    device().copy_in(buffer.data(), elements.data(), elements.size() * sizeof(f16));
  }
  View view() const { return {buffer.data(), {rows, heads, length}}; }
  std::span<const double> at(std::int64_t row, std::int64_t head) const {
    return std::span(values).subspan(static_cast<std::size_t>((row * heads + head) * length),
                                     static_cast<std::size_t>(length));
  }
};

std::vector<i32> starts_of(const std::vector<int> &lengths) {
  std::vector<i32> starts(1, 0);
  for (int length : lengths)
    starts.push_back(starts.back() + length);
  return starts;
}
VectorView<const i32> on(const Buffer<i32> &buffer) {
  return {buffer.data(), static_cast<std::int64_t>(buffer.size())};
}

// A batch of sequences. Their keys lie one behind the other, and in pages in an order of chance.
struct Batch {
  std::vector<int> queries, keys;
  std::int64_t heads, sharing, page;
  Rows q, k, v, paged_k, paged_v;
  std::vector<i32> query_starts, key_starts;
  Buffer<i32> queries_on_device, keys_on_device, lengths_on_device, table_on_device;
  std::int64_t columns;

  Batch(std::vector<int> query_lengths, std::vector<int> key_lengths, std::int64_t h, std::int64_t shared,
        std::int64_t length, std::int64_t value_length, std::int64_t keys_of_page, unsigned seed)
      : Batch(std::move(query_lengths), std::move(key_lengths), h, shared, length, value_length, keys_of_page,
              std::mt19937_64(seed)) {}

  int longest_query() const { return *std::ranges::max_element(queries); }
  int longest_keys() const { return *std::ranges::max_element(keys); }
  std::int64_t rows() const { return q.rows; }
  kernels::Sequences of_queries() const { return {on(queries_on_device), longest_query()}; }
  kernels::Sequences of_keys() const { return {on(keys_on_device), longest_keys()}; }
  kernels::Pages pages() const {
    return {MatrixView<const i32>(table_on_device.data(), static_cast<std::int64_t>(keys.size()), columns),
            on(lengths_on_device), longest_keys()};
  }
  TensorView<f16, 4> in_pages(const Rows &all) const {
    return {all.buffer.data(), {all.rows / page, page, all.heads, all.length}};
  }

 private:
  Batch(std::vector<int> query_lengths, std::vector<int> key_lengths, std::int64_t h, std::int64_t shared,
        std::int64_t length, std::int64_t value_length, std::int64_t keys_of_page, std::mt19937_64 source)
      : queries(std::move(query_lengths)), keys(std::move(key_lengths)), heads(h), sharing(shared),
        page(keys_of_page), q(std::reduce(queries.begin(), queries.end()), h, length, source),
        k(std::reduce(keys.begin(), keys.end()), h / shared, length, source),
        v(std::reduce(keys.begin(), keys.end()), h / shared, value_length, source),
        paged_k(all_pages() * page, h / shared, length, source),
        paged_v(all_pages() * page, h / shared, value_length, source), query_starts(starts_of(queries)),
        key_starts(starts_of(keys)), queries_on_device(device(), query_starts),
        keys_on_device(device(), key_starts),
        lengths_on_device(device(), std::vector<i32>(keys.begin(), keys.end())),
        table_on_device(device(), table(source)), columns(cdiv(longest_keys(), static_cast<int>(page))) {
    copy_to_pages(k, paged_k);
    copy_to_pages(v, paged_v);
  }
  std::int64_t all_pages() const {
    std::int64_t pages = 3;   // more than are used
    for (int length : keys)
      pages += cdiv(static_cast<std::int64_t>(length), page);
    return pages;
  }
  std::vector<i32> table(std::mt19937_64 &source) const {
    std::vector<i32> numbers(static_cast<std::size_t>(all_pages()));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ranges::shuffle(numbers, source);
    std::vector<i32> result;
    auto next = numbers.begin();
    for (int length : keys)
      for (std::int64_t i = 0; i < cdiv(std::int64_t{longest_keys()}, page); ++i)
        result.push_back(i * page < length ? *next++ : -1);   // nobody looks at the others
    return result;
  }
  void copy_to_pages(const Rows &from, Rows &to) const {
    const std::vector<i32> numbers = table_on_device.to_host();
    std::vector<f16> elements = to.buffer.to_host();
    for (std::size_t sequence = 0; sequence < keys.size(); ++sequence)
      for (std::int64_t key = 0; key < keys[sequence]; ++key) {
        const std::int64_t number =
            numbers[sequence * static_cast<std::size_t>(columns) + static_cast<std::size_t>(key / page)];
        for (std::int64_t head = 0; head < from.heads; ++head) {
          const auto row = from.at(key_starts[sequence] + key, head);
          for (std::int64_t d = 0; d < from.length; ++d)
            elements[static_cast<std::size_t>(
                ((number * page + key % page) * from.heads + head) * from.length + d)] =
                numeric::cast<f16>(row[static_cast<std::size_t>(d)]);
        }
      }
    device().copy_in(to.buffer.data(), elements.data(), elements.size() * sizeof(f16));
  }
};

// Whether each result is what float64 gives, sequence by sequence and head by head.
void expect_attention(const Batch &batch, const std::vector<f16> &got,
                      const SequenceAttentionOptions &options, const std::vector<double> &slopes = {},
                      const std::vector<float> &sums = {}) {
  const double allowed = reference::attention_tolerance(element_type<f16>).absolute * 2;
  const std::int64_t value_length = batch.v.length;
  for (std::size_t sequence = 0; sequence < batch.queries.size(); ++sequence)
    for (std::int64_t head = 0; head < batch.heads; ++head) {
      const std::int64_t queries = batch.queries[sequence], keys = batch.keys[sequence];
      auto copy = [](const Rows &rows, std::int64_t first, std::int64_t count, std::int64_t of_head) {
        reference::Matrix result(count, rows.length);
        for (std::int64_t i = 0; i < count; ++i)
          std::ranges::copy(rows.at(first + i, of_head), result.values.begin() + i * rows.length);
        return result;
      };
      reference::AttentionShape shape{1, 1, queries, keys, options.causal};
      shape.before = options.window.before;
      shape.after = options.window.after;
      shape.soft_cap = options.soft_cap;
      if (!slopes.empty())
        shape.slopes = std::span(slopes).subspan(static_cast<std::size_t>(head), 1);
      std::vector<std::int64_t> all(static_cast<std::size_t>(queries));
      std::iota(all.begin(), all.end(), 0);
      std::vector<double> expected_sums;
      const reference::Matrix expected = reference::attention_rows(
          copy(batch.q, batch.query_starts[sequence], queries, head),
          copy(batch.k, batch.key_starts[sequence], keys, head / batch.sharing),
          copy(batch.v, batch.key_starts[sequence], keys, head / batch.sharing), shape, all, &expected_sums);
      for (std::int64_t query = 0; query < queries; ++query) {
        const std::int64_t row = batch.query_starts[sequence] + query;
        for (std::int64_t d = 0; d < value_length; ++d)
          ASSERT_NEAR(numeric::cast<double>(
                          got[static_cast<std::size_t>((row * batch.heads + head) * value_length + d)]),
                      expected.at(query, d), allowed)
              << "sequence " << sequence << ", query " << query << ", head " << head << ", element " << d;
        if (sums.empty())
          continue;
        const double sum = sums[static_cast<std::size_t>(head * batch.rows() + row)],
                     right = expected_sums[static_cast<std::size_t>(query)];
        if (std::isinf(right))
          ASSERT_EQ(sum, right);
        else
          ASSERT_NEAR(sum, right, 1e-2) << "query " << query << ", head " << head;
      }
    }
}

struct Result {
  std::vector<f16> o;
  std::vector<float> sums;
};
Result run(const Batch &batch, SequenceAttentionOptions options, bool by_pages,
           const std::vector<double> &slopes = {}) {
  const Buffer<f16> o(
      device(),
      std::vector<f16>(static_cast<std::size_t>(batch.rows() * batch.heads * batch.v.length), f16(7.0f)));
  const Buffer<f32> sums(device(),
                         std::vector<float>(static_cast<std::size_t>(batch.rows() * batch.heads), 7));
  options.log_sum_exp = MatrixView<f32>(sums.data(), batch.heads, batch.rows());
  const Buffer<f32> slopes_on_device(device(), std::vector<float>(slopes.begin(), slopes.end()));
  if (!slopes.empty())
    options.slopes = VectorView<const f32>(slopes_on_device.data(), batch.heads);
  const View result(o.data(), {batch.rows(), batch.heads, batch.v.length});
  if (by_pages)
    kernels::paged_attention(device(), batch.q.view(), batch.in_pages(batch.paged_k),
                             batch.in_pages(batch.paged_v), result, batch.of_queries(), batch.pages(),
                             options);
  else
    kernels::varlen_attention(device(), batch.q.view(), batch.k.view(), batch.v.view(), result,
                              batch.of_queries(), batch.of_keys(), options);
  device().synchronize();
  return {o.to_host(), sums.to_host()};
}

TEST(SequenceAttention, LengthsByArrays) {
  const Batch batch({5, 0, 19, 1}, {9, 4, 19, 50}, 4, 2, 16, 16, 16, 1);
  for (bool causal : {false, true})
    for (int keys_of_program : {1000, 16}) {
      const SequenceAttentionOptions options{
          .causal = causal, .config = small, .keys_per_program = keys_of_program};
      const Result result = run(batch, options, false);
      expect_attention(batch, result.o, options, {}, result.sums);
    }
}

TEST(SequenceAttention, KeysInPages) {
  for (int page : {5, 16, 32, 64})   // smaller than a block, one block, several
    for (int keys_of_program : {1000, 32}) {
      const Batch batch({1, 3, 20}, {70, 3, 20}, 6, 3, 16, 32, page, 2);
      const SequenceAttentionOptions options{
          .causal = true, .config = small, .keys_per_program = keys_of_program};
      const Result result = run(batch, options, true);
      expect_attention(batch, result.o, options, {}, result.sums);
    }
}

TEST(SequenceAttention, OneQueryOfManyHeads) {
  const Batch batch({1, 1}, {100, 37}, 8, 8, 40, 24, 16, 3);   // rows that fill no tile
  const SequenceAttentionOptions options{.causal = true, .keys_per_program = 64};
  expect_attention(batch, run(batch, options, true).o, options);
  expect_attention(batch, run(batch, options, false).o, options);
}

TEST(SequenceAttention, SomeSeeNothing) {
  const Batch batch({20, 4, 3}, {3, 0, 5}, 2, 1, 16, 16, 16, 4);
  for (int keys_of_program : {1000, 16}) {
    const SequenceAttentionOptions options{
        .causal = true, .config = small, .keys_per_program = keys_of_program};
    const Result result = run(batch, options, true);
    expect_attention(batch, result.o, options, {}, result.sums);
    EXPECT_EQ(result.sums[0], -std::numeric_limits<float>::infinity());
  }
}

TEST(SequenceAttention, WindowsCapsAndSlopes) {
  const Batch batch({33, 2}, {50, 60}, 4, 2, 16, 16, 8, 5);
  const std::vector<double> slopes{0.5, 0.25, 0.125, 0.0625};
  for (int keys_of_program : {1000, 16}) {
    SequenceAttentionOptions options{.config = small, .keys_per_program = keys_of_program};
    options.window = {.before = 11, .after = 3};
    expect_attention(batch, run(batch, options, true).o, options);
    options.window = {.before = 7};
    options.causal = true;
    options.soft_cap = 3;
    expect_attention(batch, run(batch, options, false, slopes).o, options, slopes);
  }
}

// Keys of the same eight alone, and scores of the last head halved.
Tensor<f32> in_eights(const Tensor<f32> &scores, const kernels::ScorePlace &at) {
  auto halved = where(at.head == 3, scores * 0.5f, scores);
  return where(at.query / 8 == at.key / 8, halved, -std::numeric_limits<float>::infinity());
}

TEST(SequenceAttention, AFunctionOfScores) {
  const Batch batch({8}, {8}, 4, 2, 16, 16, 16, 6);
  const Buffer<f16> o(device(), std::size_t{8} * 4 * 16);
  const View result(o.data(), {8, 4, 16});
  kernels::varlen_attention<in_eights>(device(), batch.q.view(), batch.k.view(), batch.v.view(), result,
                                       batch.of_queries(), batch.of_keys(), {.config = small});
  device().synchronize();
  Batch halved({8}, {8}, 4, 2, 16, 16, 16, 6);   // the same numbers
  for (std::int64_t query = 0; query < 8; ++query)
    for (std::int64_t d = 0; d < 16; ++d)
      halved.q.values[static_cast<std::size_t>((query * 4 + 3) * 16 + d)] /= 2;
  expect_attention(halved, o.to_host(), {});
}

TEST(SequenceAttention, ASequenceHasTheSameBitsInAnyBatch) {
  const SequenceAttentionOptions options{.causal = true, .numerics = kernels::Numerics::batch_invariant};
  const Batch many({3, 1, 40}, {2500, 3, 300}, 2, 2, 16, 16, 16, 7);
  const Result of_many = run(many, options, true);
  // The first one alone.
  const Buffer<f16> o(device(), std::size_t{3} * 2 * 16);
  const Buffer<i32> starts(device(), std::vector<i32>{0, 3});
  kernels::Pages pages = many.pages();
  pages.table.rows = 1;
  pages.lengths.size = 1;
  kernels::paged_attention(device(), View(many.q.buffer.data(), {3, 2, 16}), many.in_pages(many.paged_k),
                           many.in_pages(many.paged_v), View(o.data(), {3, 2, 16}), {on(starts), 3}, pages,
                           options);
  device().synchronize();
  const std::vector<f16> alone = o.to_host();
  for (std::size_t i = 0; i < alone.size(); ++i)
    ASSERT_EQ(numeric::cast<double>(alone[i]), numeric::cast<double>(of_many.o[i])) << i;
}

std::string refusal(const auto &call) {
  try {
    call();
    device().synchronize();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(SequenceAttention, RefusesWhatDoesNotFit) {
  const Batch batch({4, 2}, {9, 4}, 4, 2, 16, 16, 16, 8);
  const Buffer<f16> o(device(), std::size_t{6} * 4 * 16);
  const View result(o.data(), {6, 4, 16});
  auto varlen = [&](const kernels::Sequences &queries, const kernels::Sequences &keys, const View &to,
                    const SequenceAttentionOptions &options = {}) {
    return refusal([&] {
      kernels::varlen_attention(device(), batch.q.view(), batch.k.view(), batch.v.view(), to, queries, keys,
                                options);
    });
  };
  auto paged = [&](const kernels::Pages &pages) {
    return refusal([&] {
      kernels::paged_attention(device(), batch.q.view(), batch.in_pages(batch.paged_k),
                               batch.in_pages(batch.paged_v), result, batch.of_queries(), pages);
    });
  };
  using testing::HasSubstr;
  kernels::Sequences queries = batch.of_queries(), keys = batch.of_keys();
  EXPECT_EQ(varlen(queries, keys, result), "");
  EXPECT_THAT(varlen({queries.starts, 0}, keys, result), HasSubstr("queries.longest is 0"));
  EXPECT_THAT(varlen(queries, {keys.starts, -1}, result), HasSubstr("keys.longest is -1"));
  EXPECT_THAT(varlen(queries, {{keys.starts.data, 2}, 9}, result), HasSubstr("keys.starts"));
  EXPECT_THAT(varlen({{queries.starts.data, 0}, 4}, {{keys.starts.data, 0}, 9}, result),
              HasSubstr("queries.starts is empty"));
  EXPECT_THAT(varlen(queries, keys, View(o.data(), {6, 4, 8})), HasSubstr("it must be [6, 4, 16]"));
  EXPECT_THAT(varlen(queries, keys, View(batch.k.buffer.data(), {6, 4, 16})), HasSubstr("overlaps"));
  EXPECT_THAT(varlen(queries, keys, result, {.keys_per_program = 0}), HasSubstr("keys_per_program"));
  EXPECT_THAT(varlen(queries, keys, result, {.scale = -1}), HasSubstr("the scale is -1"));
  kernels::Pages pages = batch.pages();
  EXPECT_EQ(paged(pages), "");
  EXPECT_THAT(paged({pages.table, {pages.lengths.data, 1}, 9}), HasSubstr("pages.lengths"));
  EXPECT_THAT(paged({pages.table, pages.lengths, 100}), HasSubstr("pages.longest is 100"));
}

TEST(SequenceAttention, ChecksLengthsAndPagesOnTheDevice) {
  const Batch batch({4, 2}, {40, 4}, 4, 2, 16, 16, 16, 9);
  const Buffer<f16> o(device(), std::size_t{6} * 4 * 16);
  auto run = [&](const std::vector<i32> &starts, const std::vector<i32> &table, int longest) {
    const Buffer<i32> s(device(), starts), t(device(), table);
    kernels::Pages pages = batch.pages();
    pages.table.data = t.data();
    return refusal([&] {
      kernels::paged_attention(device(), batch.q.view(), batch.in_pages(batch.paged_k),
                               batch.in_pages(batch.paged_v), View(o.data(), {6, 4, 16}), {on(s), longest},
                               pages);
    });
  };
  using testing::HasSubstr;
  EXPECT_EQ(run({0, 4, 6}, {0, 1, 2, 3, -1, -1}, 4), "");
  EXPECT_THAT(run({0, 4, 3}, {0, 1, 2, 3, -1, -1}, 4), HasSubstr("starts ascend"));
  EXPECT_THAT(run({0, 4, 6}, {0, 1, 2, 3, -1, -1}, 3), HasSubstr("from 0 to `longest` queries"));
  EXPECT_THAT(run({0, 4, 6}, {0, 1, 99, 3, -1, -1}, 4), HasSubstr("the table names a page that exists"));
  EXPECT_THAT(run({0, 4, 6}, {0, -1, 2, 3, -1, -1}, 4), HasSubstr("the table names a page that exists"));
}

}   // namespace
}   // namespace tile
