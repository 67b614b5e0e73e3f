// SPDX-License-Identifier: MIT
// sequence_attention by name: a batch of sequences, its lengths and pages, a checked run, its IR.
#include "kernels/sequence_attention.h"
#include "tools/registry/attention_settings.h"
#include "tools/registry/kernel_entries.h"

#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace tile::registry {

using kernels::SequenceAttentionConfig;

// The batch that the settings describe. Rows of an operand are those of its heads: row * heads + head.
struct SequenceBatch {
  std::int64_t heads, sharing, length, page = 0;   // page: 0 for contiguous keys
  bool causal;
  std::vector<i32> query_starts{0}, key_starts{0}, key_lengths, table;
  std::int64_t longest_query = 0, longest_keys = 0, columns = 0, pages = 0;

  explicit SequenceBatch(const Settings &settings)
      : heads(settings.size("heads")), sharing(checked_sharing(settings)),
        length(*parse_count(settings.choice("head_dim"))), causal(settings.choice("causal") == "yes") {
    const std::int64_t count = settings.size("sequences"), queries = settings.size("m"),
                       keys = settings.size("n");
    const bool are_mixed = settings.choice("lengths") == "mixed";
    for (std::int64_t i = 0; i < count; ++i) {
      auto shortened = [&](std::int64_t most) { return are_mixed ? most - most * i / (2 * count) : most; };
      const auto of_queries = static_cast<i32>(shortened(queries)),
                 of_keys = static_cast<i32>(shortened(keys));
      query_starts.push_back(query_starts.back() + of_queries);
      key_starts.push_back(key_starts.back() + of_keys);
      key_lengths.push_back(of_keys);
    }
    longest_query = queries;
    longest_keys = keys;
    if (settings.choice("page") == "none")
      return;
    page = *parse_count(settings.choice("page"));
    columns = cdiv(keys, page);
    pages = std::max<std::int64_t>(columns * count, 1);
    // Neighbours lie apart, as after many requests: number i is a multiple of a step that shares no factor
    // with the number of pages.
    std::int64_t step = pages * 5 / 13 + 1;
    while (std::gcd(step, pages) != 1)
      ++step;
    for (std::int64_t i = 0; i < columns * count; ++i)
      table.push_back(static_cast<i32>(i * step % pages));
  }
  std::int64_t key_heads() const { return heads / sharing; }
  std::int64_t sequences() const { return std::ssize(key_lengths); }
  std::int64_t rows() const { return query_starts.back(); }
  std::int64_t key_rows() const { return page == 0 ? key_starts.back() : pages * page; }
  // Pairs of a query and a key that it sees, of one head; half of them if causal.
  double flop() const {
    double pairs = 0;
    for (std::int64_t i = 0; i < sequences(); ++i)
      pairs += double(queries_of(i)) * key_lengths[static_cast<std::size_t>(i)];
    return 4.0 * static_cast<double>(heads * length) * pairs * (causal && longest_query > 1 ? 0.5 : 1);
  }
  double work_of_row() const { return 2.0 * static_cast<double>(longest_keys * length); }
  std::int64_t queries_of(std::int64_t sequence) const {
    const auto i = static_cast<std::size_t>(sequence);
    return query_starts[i + 1] - query_starts[i];
  }
  // The row of an operand of keys.
  std::int64_t row_of_key(std::int64_t sequence, std::int64_t key, std::int64_t key_head) const {
    const auto s = static_cast<std::size_t>(sequence);
    const std::int64_t row =
        page == 0
            ? key_starts[s] + key
            : table[s * static_cast<std::size_t>(columns) + static_cast<std::size_t>(key / page)] * page +
                  key % page;
    return row * key_heads() + key_head;
  }
};

// The batch on a device, and its launch.
template <class T> struct PlacedBatch {
  Device &device;
  SequenceBatch batch;
  Buffer<i32> query_starts, key_starts, key_lengths, table;

  PlacedBatch(Device &on, const SequenceBatch &of)
      : device(on), batch(of), query_starts(on, of.query_starts, "query_starts"),
        key_starts(on, of.key_starts, "key_starts"), key_lengths(on, of.key_lengths, "key_lengths"),
        table(on, of.table, "table") {}

  void launch(const T *q, const T *k, const T *v, T *o,
              const std::optional<SequenceAttentionConfig> &config) const {
    const std::int64_t heads = batch.heads, of_keys = batch.key_heads(), length = batch.length;
    auto vector = [](const Buffer<i32> &buffer) {
      return VectorView<const i32>(buffer.data(), static_cast<std::int64_t>(buffer.size()));
    };
    const TensorView<const T, 3> queries(q, {batch.rows(), heads, length});
    const TensorView<T, 3> result(o, {batch.rows(), heads, length});
    const kernels::Sequences sequences{vector(query_starts), batch.longest_query};
    const kernels::SequenceAttentionOptions options{.causal = batch.causal, .config = config};
    if (batch.page == 0) {
      auto rows = [&](const T *data) {
        return TensorView<const T, 3>(data, {batch.key_rows(), of_keys, length});
      };
      kernels::varlen_attention(device, queries, rows(k), rows(v), result, sequences,
                                {vector(key_starts), batch.longest_keys}, options);
      return;
    }
    auto pages = [&](const T *data) {
      return TensorView<const T, 4>(data, {batch.pages, batch.page, of_keys, length});
    };
    kernels::paged_attention(device, queries, pages(k), pages(v), result, sequences,
                             {MatrixView<const i32>(table.data(), batch.sequences(), batch.columns),
                              vector(key_lengths), batch.longest_keys},
                             options);
  }
};

// Each row by itself: one head of one query. rows_of(operand, rows): 0 is q, 1 k, 2 v.
template <class RowsOf>
static Matrix expected_rows(const SequenceBatch &batch, std::span<const std::int64_t> rows, RowsOf rows_of) {
  Matrix result(static_cast<std::int64_t>(rows.size()), batch.length);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const std::int64_t query = rows[n] / batch.heads, head = rows[n] % batch.heads;
    const std::int64_t sequence =
        std::ranges::upper_bound(batch.query_starts, query) - batch.query_starts.begin() - 1;
    const auto s = static_cast<std::size_t>(sequence);
    const std::int64_t keys = batch.key_lengths[s];
    std::vector<std::int64_t> of_keys;
    for (std::int64_t key = 0; key < keys; ++key)
      of_keys.push_back(batch.row_of_key(sequence, key, head / batch.sharing));
    reference::AttentionShape shape{1, 1, 1, keys, batch.causal};
    shape.first_own = query - batch.query_starts[s] + keys - batch.queries_of(sequence);
    const Matrix one = reference::attention(rows_of(0, std::array{rows[n]}), rows_of(1, of_keys),
                                            rows_of(2, of_keys), shape);
    std::ranges::copy(one.values, result.values.begin() + static_cast<std::ptrdiff_t>(n) * batch.length);
  }
  return result;
}

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const SequenceBatch batch(settings);
  std::mt19937_64 source(settings.seed);
  const std::int64_t rows = batch.rows() * batch.heads, key_rows = batch.key_rows() * batch.key_heads();
  Placed<T> q(device, "q", rows, batch.length), k(device, "k", key_rows, batch.length),
      v(device, "v", key_rows, batch.length), o(device, "o", rows, batch.length);
  auto fill = [&](Placed<T> &to, std::int64_t count, double factor) {
    Matrix values = reference::random_matrix(count, batch.length, element_type<T>, source);
    for (double &value : values.values)
      value *= factor;   // scores that tell keys apart
    return to.fill(std::move(values));
  };
  const std::array values{fill(q, rows, 2), fill(k, key_rows, 2), fill(v, key_rows, 1)};
  const auto config = config_of<SequenceAttentionConfig>(settings);
  o.poison();
  Outcome outcome{.config = config_text(config), .operations = batch.flop(), .unit = "FLOP"};
  const PlacedBatch<T> placed(device, batch);
  outcome.seconds = timed(
      device, [&] { placed.launch(q.view().data, k.view().data, v.view().data, o.view().data, config); });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::attention_tolerance(element_type<T>);
  outcome.tolerance = tolerance.text();
  outcome.verdict =
      judge(o, batch.work_of_row(), settings.effort, tolerance, [&](std::span<const std::int64_t> wanted) {
        return expected_rows(batch, wanted, [&](std::size_t operand, std::span<const std::int64_t> of) {
          Matrix picked(static_cast<std::int64_t>(of.size()), batch.length);
          for (std::size_t i = 0; i < of.size(); ++i)
            std::copy_n(values[operand].values.begin() + of[i] * batch.length, batch.length,
                        picked.values.begin() + static_cast<std::ptrdiff_t>(i) * batch.length);
          return picked;
        });
      });
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const SequenceBatch batch(settings);
  const ElementType type = element_type<T>;
  const std::int64_t rows = batch.rows() * batch.heads, key_rows = batch.key_rows() * batch.key_heads();
  Problem problem{.kind = Problem::Kind::sequence_attention,
                  .operands = {{"q", type, rows, batch.length},
                               {"k", type, key_rows, batch.length},
                               {"v", type, key_rows, batch.length},
                               {"o", type, rows, batch.length, false, true}},
                  .work = {.flop = batch.flop()},
                  .work_of_row = batch.work_of_row(),
                  .tolerance = reference::attention_tolerance(type)};
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=, config = config_of<SequenceAttentionConfig>(settings)](Device &device, auto at) {
    const auto placed = std::make_shared<PlacedBatch<T>>(device, batch);
    return Problem::Launch([=, q = static_cast<const T *>(at[0]), k = static_cast<const T *>(at[1]),
                            v = static_cast<const T *>(at[2]),
                            o = static_cast<T *>(at[3])] { placed->launch(q, k, v, o, config); });
  };
  problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> wanted) {
    return expected_rows(batch, wanted, [&](std::size_t operand, std::span<const std::int64_t> of) {
      return rows_of_operand(read, operand, batch.length, of);
    });
  };
  return problem;
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const SequenceBatch batch(settings);
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             one = specialized ? ArgClass::one : any;
  auto config = config_from<SequenceAttentionConfig>(settings.config);
  constexpr int none = kernels::detail::no_bound;
  config.form = {.attention = kernels::detail::attention_form(
                     static_cast<int>(batch.length), static_cast<int>(batch.length), none,
                     batch.causal ? 0 : none, 0, nullptr, nullptr, nullptr),
                 .paged = batch.page > 0,
                 .page = static_cast<int>(std::max<std::int64_t>(batch.page, 1))};
  const std::vector<ArgClass> classes{by16, by16, by16, by16, by16, by16,    // q to parts
                                      by16, by16, by16, by16, by16, by16,    // part_sums to slopes
                                      any,  any,  any,  any,  any,  one,     // sequences to part_count
                                      any,  any,  any,  any,  any,  any,     // part_keys to value_length
                                      any,  any,  any,  any,                 // before to soft_cap
                                      any,  by16, by16, by16, by16, by16,    // table_row to k_head
                                      by16, by16, by16, by16, by16, by16};   // v_page to log_head
  return kernels::sequence_attention_kernel<T>.trace(config, classes);
}

Entry sequence_attention_entry() {
  return {.name = "sequence_attention",
          .summary = "attention for a batch of sequences of different lengths, whose keys may lie in pages",
          .parameters =
              {{"sequences", "sequences of the batch", "3", {}},
               {"heads", "heads of queries", "4", {}},
               {"m", "queries of a sequence", "1", {}},
               {"n", "keys of a sequence", "150", {}},
               {"sharing", "heads of queries that share one of keys and values", "2", {}},
               {"head_dim", "elements of a row", "64", {"16", "40", "64", "96", "128", "192", "256"}},
               {"page", "keys of a page", "none", {"none", "8", "16", "64", "256"}},
               {"lengths", "whether sequences become shorter, down to half", "equal", {"equal", "mixed"}},
               {"causal", "whether a query sees only the keys before it", "no", {"no", "yes"}},
               {"dtype", "element type", "f16", element_names<f16, bf16>()}},
          .run =
              [](Device &device, const Settings &settings) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return run<typename decltype(t)::type>(device, settings);
                });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return trace<typename decltype(t)::type>(settings, specialized);
                });
              },
          .configs =
              [](const Settings &settings) {
                const SequenceBatch batch(settings);
                const auto length = static_cast<int>(batch.length);
                auto configs = kernels::detail::sequence_attention_configs();
                std::erase_if(configs, [&](const SequenceAttentionConfig &config) {
                  kernels::detail::SequenceAttentionSize size{};
                  size.one.length = size.one.value_length = length;
                  return !kernels::detail::keep_sequence_attention_config(config, size);
                });
                return config_texts(configs);
              },
          .problem =
              [](const Settings &settings) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return problem<typename decltype(t)::type>(settings);
                });
              }};
}

}   // namespace tile::registry
