// SPDX-License-Identifier: MIT
// Attention for sequences of different lengths that lie one behind the other, and for keys that lie in pages:
// what serves a language model, in one launch for a whole batch.
//
//   varlen_attention(device, q, k, v, o, {query_starts, 512}, {key_starts, 2048}, {.causal = true});
//   paged_attention(device, q, pages_of_k, pages_of_v, o, {query_starts, 1}, {table, lengths, 8192});
//
// A program takes rows of a sequence: its queries, and of each query all heads that share a head of keys. If
// there are too few programs for the GPU, the keys of a sequence are divided among several. Each leaves its
// result and the logarithm of its sum, and a second kernel adds them up in the order of the keys.
#pragma once

#include <tile/attention.h>
#include <tile/attention_softmax.h>
#include <tile/workspace.h>

#include <algorithm>

namespace tile::kernels {

// What the arguments of a launch fix in its code. The launch fills it in.
struct SequenceForm {
  AttentionForm attention{};
  bool paged = false;     // else the keys of a sequence are contiguous
  int page = 1;           // keys of a page
  bool divided = false;   // several programs share the keys of a row
  bool checked = false;   // lengths and pages
};
struct SequenceAttentionConfig {
  int block_m = 16, block_n = 64;   // rows of a program, keys of a step
  Launch launch{.num_warps = 4, .num_stages = 3};
  SequenceForm form{};
};
struct AttentionPartsConfig {
  int block = 16;             // parts that are added at once
  int value_length = 64;      // the launch decides it
  bool log_sum_exp = false;   // and this
  Launch launch{.num_warps = 4};
};

namespace detail {

// Of one head: keys or values. `at` has the address of the block's first row, or of each of its rows.
template <class T> struct KeyRows {
  Ptr<const T> data;   // of the head; if the keys are contiguous, of the sequence's first one
  Int64 page_stride;
  Int row_stride;
  int columns;
  Int length;
  bool full, paged;
  int page;   // keys of a page

  // The rows of keys begin, begin + 1, ... of which those up to `end` exist. `table`: the sequence's pages.
  Tensor<T> load(const Ptr<const i32> &table, const Int &begin, const Int &end, int block,
                 bool missing) const {
    auto j = arange(0, block), c = arange(0, columns);
    auto within = j(all, none) * row_stride + c(none, all);
    Bool exists = broadcast_to((j < end - begin)(all, none), {block, columns});
    if (!full)
      exists = exists & (c < length)(none, all);
    auto rows = [&](const Ptr<const T> &pointers) {
      return missing || !full ? tile::load(pointers, exists) : tile::load(pointers);
    };
    if (!paged)
      return rows(data + cast<i64>(begin) * cast<i64>(row_stride) + within);
    if (page % block == 0)   // a block lies within a page
      return rows(
          data +
          (cast<i64>(tile::load(table + begin / page)) * page_stride + cast<i64>(begin % page * row_stride)) +
          within);
    auto key = begin + j;
    auto pages = missing ? tile::load(table + key / page, key < end) : tile::load(table + key / page);
    auto offset = cast<i64>(pages) * page_stride + cast<i64>(key % page * row_stride);
    return rows(data + offset(all, none) + c(none, all));
  }
};

}   // namespace detail

template <class T, auto Score>
void sequence_attention_program(
    Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<T> o, Ptr<f32> log_sum_exp, Ptr<f32> parts,
    Ptr<f32> part_sums, Ptr<const i32> query_starts, Ptr<const i32> key_starts, Ptr<const i32> key_lengths,
    Ptr<const i32> table, Ptr<const f32> slopes, [[maybe_unused]] Int sequences, Int most_queries,
    Int most_keys, Int key_heads, Int sharing, Int part_count, Dynamic<Int> part_keys,
    [[maybe_unused]] Dynamic<Int> keys_of_page, Dynamic<Int> pages, [[maybe_unused]] Dynamic<Int> is_checked,
    Dynamic<Int> length, Dynamic<Int> value_length, Dynamic<Int> before, Dynamic<Int> after, Float scale,
    Float soft_cap, Int64 table_row, Int64 q_row, Int64 q_head, Int64 k_page, Int k_row, Int64 k_head,
    Int64 v_page, Int v_row, Int64 v_head, Int64 o_row, Int64 o_head, Int64 log_head,
    const SequenceAttentionConfig &cfg) {
  const auto [BM, BN, launch, sequence_form] = cfg;
  const auto [form, paged, page, divided, checked] = sequence_form;
  const int D = form.length, DV = form.value_length;
  Int blocks = cdiv(most_queries * sharing, BM), program = program_id(0);
  Int part = program % part_count, block = blocks - 1 - program / part_count % blocks;
  Int of_blocks = program / (part_count * blocks), key_head = of_blocks % key_heads,
      sequence = of_blocks / key_heads;

  Int first_query = load(query_starts + sequence), queries = load(query_starts + sequence + 1) - first_query;
  Int first_key(0), keys(0);
  if (!paged) {
    first_key = load(key_starts + sequence);
    keys = load(key_starts + sequence + 1) - first_key;
  } else {
    keys = load(key_lengths + sequence);
  }
  if (checked) {
    device_assert((queries >= 0) & (queries <= most_queries),
                  "a sequence has from 0 to `longest` queries, and starts ascend");
    device_assert((keys >= 0) & (keys <= most_keys), "a sequence has from 0 to `longest` keys");
  }
  const detail::Sight sight{queries, keys, before, after, form.bounded_before, form.bounded_after};
  const detail::ScoreChange<Score> change{form, scale, soft_cap};

  // Rows: query 0 of all heads that share the head of keys, query 1 of all of them, ...
  Int first_row = block * BM, rows = queries * sharing;
  auto row = first_row + arange(0, BM), j = arange(0, BN), c = arange(0, D), cv = arange(0, DV);
  auto query_index = row / sharing, head = key_head * sharing + row % sharing;
  auto exists = row < rows;
  auto offset_of = [&](const Int64 &of_query, const Int64 &of_head) {
    return cast<i64>(first_query) * of_query +
           (cast<i64>(query_index) * of_query + cast<i64>(head) * of_head);
  };
  Bool in_query = broadcast_to(exists(all, none), {BM, D}),
       in_result = broadcast_to(exists(all, none), {BM, DV});
  if (!form.full_rows) {
    in_query = in_query & (c < length)(none, all);
    in_result = in_result & (cv < value_length)(none, all);
  }
  auto query = load(q + offset_of(q_row, q_head)(all, none) + c(none, all), in_query);
  const detail::KeyRows<T> K{k + (cast<i64>(key_head) * k_head + cast<i64>(first_key) * cast<i64>(k_row)),
                             k_page,
                             k_row,
                             D,
                             length,
                             form.full_rows,
                             paged,
                             page},
      V{v + (cast<i64>(key_head) * v_head + cast<i64>(first_key) * cast<i64>(v_row)),
        v_page,
        v_row,
        DV,
        value_length,
        form.full_rows,
        paged,
        page};
  Ptr<const i32> pages_of_sequence = table + cast<i64>(sequence) * table_row;
  Tensor<f32> slope = form.slopes ? load(slopes + head, exists)(all, none) : zeros<f32>({1, 1});

  Int first = first_row / sharing, last = minimum((first_row + (BM - 1)) / sharing, queries - 1);
  Int from = form.bounded_before ? sight.from(first) / BN * BN : Int(0);
  Int end = where(first_row < rows, sight.end(last), 0);
  if (divided) {
    from += part * part_keys;
    end = minimum(end, from + part_keys);
  }
  const detail::KeyRange seen{from, end, sight.from(last), sight.end(first)};
  detail::RunningSoftmax<T> softmax(
      BM, DV, change.is_plain() ? scale * detail::log2_e : constant<f32>(detail::log2_e));
  // Few rows wait for memory: masks cost them nothing, and a second loop would fill its slots anew.
  detail::for_each_block(
      seen, BN, form.bounded_before, BM < 64, [&](const Int &begin, detail::Masked masked) {
        const bool missing = masked != detail::Masked::never;
        if (checked && paged) {
          auto key = begin + j;
          auto number = load(pages_of_sequence + key / page, key < seen.end);
          device_assert((number >= 0) & (number < pages), "the table names a page that exists",
                        key < seen.end);
        }
        auto scores = dot(query, trans(K.load(pages_of_sequence, begin, seen.end, BN, missing)));
        const ScorePlace at{head(all, none), query_index(all, none), (begin + j)(none, all), queries, keys};
        if (!change.is_plain())
          scores = change(scores, at, slope, [&] { return zeros<f32>({BM, BN}); });
        detail::hide_unseen(scores, masked, begin, BN, seen, sight, at);
        softmax.add(scores, missing || change.may_hide(),
                    [&] { return V.load(pages_of_sequence, begin, seen.end, BN, missing); });
      });

  if (divided) {
    Int heads = key_heads * sharing;
    auto place = ((cast<i64>(first_query) + cast<i64>(query_index)) * cast<i64>(heads) + cast<i64>(head)) *
                     cast<i64>(part_count) +
                 cast<i64>(part);
    store(part_sums + place, softmax.log_sum_exp(), exists);
    store(parts + place(all, none) * DV + cv(none, all), softmax.result(),
          broadcast_to(exists(all, none) & (from < end), {BM, DV}));
    return;
  }
  store(o + offset_of(o_row, o_head)(all, none) + cv(none, all), cast<T>(softmax.result()), in_result);
  if (form.log_sum_exp)
    store(log_sum_exp + cast<i64>(head) * log_head + first_query + query_index, softmax.log_sum_exp(),
          exists);
}

// The result of a row from its parts.
template <class T>
void attention_parts_program(Ptr<const f32> parts, Ptr<const f32> part_sums, Ptr<T> o, Ptr<f32> log_sum_exp,
                             [[maybe_unused]] Int rows, Int heads, Int part_count, Dynamic<Int> value_length,
                             Int64 o_row, Int64 o_head, Int64 log_head, const AttentionPartsConfig &cfg) {
  const auto [B, D, has_log_sum_exp, launch] = cfg;
  Int program = program_id(0), token = program / heads, head = program % heads;
  Int64 first = cast<i64>(program) * cast<i64>(part_count);
  auto p = arange(0, B), c = arange(0, D);
  Float greatest = constant<f32>(detail::lowest_score);
  for (auto begin : range(0, part_count, B)) {
    auto sums = load(part_sums + first + begin + p, p < part_count - begin, detail::lowest_score);
    greatest = maximum(greatest, max(sums, 0));
  }
  Float unit = where(greatest != detail::lowest_score, greatest, 0.0f), total = constant<f32>(0);
  Tensor<f32> sums_of_values = zeros<f32>({D});
  for (auto begin : range(0, part_count, B)) {
    auto sums = load(part_sums + first + begin + p, p < part_count - begin, detail::lowest_score);
    auto weights = exp2_approx((sums - unit) * detail::log2_e);
    auto seen = broadcast_to((sums != detail::lowest_score)(all, none), {B, D});
    auto values = load(parts + (first + begin) * D + (p(all, none) * D + c(none, all)), seen);
    total += sum(weights, 0);
    sums_of_values += sum(values * weights(all, none), 0);
  }
  Float share = where(total > 0.0f, 1.0f / total, 0.0f);
  store(o + (cast<i64>(token) * o_row + cast<i64>(head) * o_head) + c, cast<T>(sums_of_values * share),
        c < value_length);
  if (has_log_sum_exp)
    store(log_sum_exp + (cast<i64>(head) * log_head + cast<i64>(token)), greatest + log(total));
}

// Sequences that lie one behind the other: sequence i has the rows starts[i] .. starts[i + 1].
struct Sequences {
  VectorView<const i32> starts;   // ascending, one more than there are sequences
  std::int64_t longest = 0;       // no sequence has more rows
};
// Keys in pages: key i of a sequence is row i % page of the page table[sequence, i / page].
struct Pages {
  MatrixView<const i32> table;     // [sequences, pages of the longest]
  VectorView<const i32> lengths;   // keys of each sequence
  std::int64_t longest = 0;        // no sequence has more keys
};

struct SequenceAttentionOptions {
  std::optional<float> scale;   // as in AttentionOptions, like the following ones
  bool causal = false;
  Window window{};
  float soft_cap = 0;
  std::optional<VectorView<const f32>> slopes;
  std::optional<SequenceAttentionConfig> config;
  Numerics numerics = Numerics::any;
  std::optional<MatrixView<f32>> log_sum_exp;   // [heads, rows of q], written
  // Keys that a program takes; more are divided among several. None: the kernel chooses, by what the GPU has.
  std::optional<int> keys_per_program;
  // CPU devices always check lengths and pages. On a GPU that takes time.
  bool check_indices = false;
};

namespace detail {
std::vector<SequenceAttentionConfig> sequence_attention_configs();

struct SequenceAttentionSize {
  AttentionSize one;   // heads of keys of all sequences; rows and keys of the longest
  int page, part_count, part_keys;
};
Key sequence_attention_key(const SequenceAttentionSize &size, const AttentionForm &form);
double sequence_attention_seconds(const Machine &machine, const SequenceAttentionConfig &cfg,
                                  const SequenceAttentionSize &size);
bool keep_sequence_attention_config(const SequenceAttentionConfig &cfg, const SequenceAttentionSize &size);

// Operands with any number of axes, without their types.
struct PagedRows {
  const void *data;
  std::array<std::int64_t, 4> extents, strides;   // pages, rows of a page, heads, elements
  int element_bytes;
};
template <class T> PagedRows paged_rows(const TensorView<T, 4> &view) {
  return {view.data, view.extents, view.strides, sizeof(T)};
}
template <class T> PagedRows paged_rows(const TensorView<T, 3> &view) {   // one page has all rows
  return {view.data,
          {1, view.extents[0], view.extents[1], view.extents[2]},
          {0, view.strides[0], view.strides[1], view.strides[2]},
          sizeof(T)};
}
struct SequenceOperands {
  Stack q, o;   // [rows, heads, elements]
  PagedRows k, v;
  Sequences queries;
  std::optional<Sequences> keys;
  std::optional<Pages> pages;
};
struct SequenceShape {
  int sequences, most_queries, most_keys, key_heads, sharing, part_count, part_keys;
  int page, pages, length, value_length, before, after;
  float scale;
  int k_row, v_row;
  std::int64_t log_head;
};
// Throws tile::Error if the operands do not fit together.
SequenceShape sequence_shape(const Operands &operands, const SequenceOperands &of,
                             const SequenceAttentionOptions &options, const Machine &machine);

inline SequenceAttentionSize sequence_size(int sequences, int most_queries, int most_keys, int key_heads,
                                           int sharing, int part_count, int part_keys, int page, int length,
                                           int value_length, int before, int after) {
  return {{sequences * key_heads, most_queries * sharing, most_keys, length, value_length, before, after},
          page,
          part_count,
          part_keys};
}
}   // namespace detail

template <class T, auto Score = no_score>
inline const Kernel<&sequence_attention_program<T, Score>> sequence_attention_kernel{
    .name = "sequence_attention",
    .parameters = {"q",           "k",
                   "v",           "o",
                   "log_sum_exp", "parts",
                   "part_sums",   "query_starts",
                   "key_starts",  "key_lengths",
                   "table",       "slopes",
                   "sequences",   "most_queries",
                   "most_keys",   "key_heads",
                   "sharing",     "part_count",
                   "part_keys",   "keys_of_page",
                   "pages",       "is_checked",
                   "length",      "value_length",
                   "before",      "after",
                   "scale",       "soft_cap",
                   "table_row",   "q_row",
                   "q_head",      "k_page",
                   "k_row",       "k_head",
                   "v_page",      "v_row",
                   "v_head",      "o_row",
                   "o_head",      "log_head"},
    .grid =
        [](auto &cfg, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, int sequences,
           int most_queries, int, int key_heads, int sharing, int part_count, auto...) {
          return Grid{cdiv(std::int64_t{most_queries} * sharing, std::int64_t{cfg.block_m}) * part_count *
                      key_heads * sequences};
        },
    .configs = detail::sequence_attention_configs(),
    .complete =
        [](auto cfg, auto, auto, auto, auto, auto log_sum_exp, auto, auto, auto, auto, auto, auto,
           auto slopes, int, int, int, int, int, int part_count, int, int page, int, int is_checked,
           int length, int value_length, int before, int after, float, float soft_cap, auto...) {
          cfg.form = {detail::attention_form(length, value_length, before, after, soft_cap, slopes, nullptr,
                                             part_count > 1 ? nullptr : log_sum_exp),
                      page > 0, std::max(page, 1), part_count > 1, is_checked != 0};
          return cfg;
        },
    .key =
        [](auto, auto, auto, auto, auto log_sum_exp, auto, auto, auto, auto, auto, auto, auto slopes,
           int sequences, int most_queries, int most_keys, int key_heads, int sharing, int part_count,
           int part_keys, int page, int, int, int length, int value_length, int before, int after, float,
           float soft_cap, auto...) {
          return detail::sequence_attention_key(
              detail::sequence_size(sequences, most_queries, most_keys, key_heads, sharing, part_count,
                                    part_keys, page, length, value_length, before, after),
              detail::attention_form(length, value_length, before, after, soft_cap, slopes, nullptr,
                                     log_sum_exp));
        },
    .keep =
        [](auto &cfg, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, int sequences,
           int most_queries, int most_keys, int key_heads, int sharing, int part_count, int part_keys,
           int page, int, int, int length, int value_length, int before, int after, auto...) {
          return detail::keep_sequence_attention_config(
              cfg, detail::sequence_size(sequences, most_queries, most_keys, key_heads, sharing, part_count,
                                         part_keys, page, length, value_length, before, after));
        },
    .work =
        [](auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, int sequences,
           int most_queries, int most_keys, int key_heads, int sharing, int part_count, int part_keys,
           int page, int, int, int length, int value_length, int before, int after, auto...) {
          return Work{.flop = detail::sequence_size(sequences, most_queries, most_keys, key_heads, sharing,
                                                    part_count, part_keys, page, length, value_length, before,
                                                    after)
                                  .one.flop()};
        },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto,
           auto, auto, int sequences, int most_queries, int most_keys, int key_heads, int sharing,
           int part_count, int part_keys, int page, int, int, int length, int value_length, int before,
           int after, auto...) {
          return detail::sequence_attention_seconds(
              machine, cfg,
              detail::sequence_size(sequences, most_queries, most_keys, key_heads, sharing, part_count,
                                    part_keys, page, length, value_length, before, after));
        },
    .tunes = Tunes::when_asked};

template <class T>
inline const Kernel<&attention_parts_program<T>> attention_parts_kernel{
    .name = "attention_parts",
    .parameters = {"parts", "part_sums", "o", "log_sum_exp", "rows", "heads", "part_count", "value_length",
                   "o_row", "o_head", "log_head"},
    .grid = [](auto &, auto, auto, auto, auto, int rows, int heads,
               auto...) { return Grid{std::int64_t{rows} * heads}; },
    .complete =
        [](auto cfg, auto, auto, auto, auto log_sum_exp, int, int, int, int value_length, auto...) {
          cfg.value_length = detail::tile_columns(value_length);
          cfg.log_sum_exp = log_sum_exp != nullptr;
          return cfg;
        },
    .work = [](auto, auto, auto, auto, int rows, int heads, int part_count, int value_length,
               auto...) { return Work{.bytes = 4.0 * rows * heads * double(part_count) * value_length}; }};

namespace detail {
template <auto Score, class T>
void sequence_attention(std::string_view function, OnDevice on, const SequenceOperands &operands,
                        const SequenceAttentionOptions &options) {
  Device &device = on.device;
  const SequenceShape s = sequence_shape(Operands(function, on.where), operands, options, device.machine());
  const bool is_divided = s.part_count > 1;
  const int heads = s.key_heads * s.sharing, rows = static_cast<int>(operands.q.extents[0]);
  const std::size_t parts = is_divided ? static_cast<std::size_t>(rows) * heads * s.part_count : 0;
  const Workspace<f32> results(device, parts * tile_columns(s.value_length)), sums(device, parts);
  std::optional<SequenceAttentionConfig> config = options.config;
  if (!config && options.numerics != Numerics::any)
    config = SequenceAttentionConfig();   // for all lengths and GPUs
  const auto *q = static_cast<const T *>(operands.q.data);
  auto *o = static_cast<T *>(const_cast<void *>(operands.o.data));
  const MatrixView<f32> log_sum_exp = options.log_sum_exp.value_or(MatrixView<f32>());
  const Pages pages = operands.pages.value_or(Pages());
  sequence_attention_kernel<T, Score>.launch_with(
      config, on, q, static_cast<const T *>(operands.k.data), static_cast<const T *>(operands.v.data), o,
      log_sum_exp.data, results.data(), sums.data(), operands.queries.starts.data,
      operands.keys.value_or(Sequences()).starts.data, pages.lengths.data, pages.table.data,
      options.slopes.value_or(VectorView<const f32>()), s.sequences, s.most_queries, s.most_keys, s.key_heads,
      s.sharing, s.part_count, s.part_keys, s.page, s.pages,
      int{options.check_indices || device.kind() != "cuda"}, s.length, s.value_length, s.before, s.after,
      s.scale, options.soft_cap, pages.table.row_stride, operands.q.strides[0], operands.q.strides[1],
      operands.k.strides[0], s.k_row, operands.k.strides[2], operands.v.strides[0], s.v_row,
      operands.v.strides[2], operands.o.strides[0], operands.o.strides[1], s.log_head);
  if (is_divided)
    attention_parts_kernel<T>(on, static_cast<const f32 *>(results.data()),
                              static_cast<const f32 *>(sums.data()), o, log_sum_exp.data, rows, heads,
                              s.part_count, s.value_length, operands.o.strides[0], operands.o.strides[1],
                              s.log_head);
}

template <class Q, class K, class V, class O> constexpr void check_elements() {
  static_assert(std::is_same_v<O, std::remove_const_t<O>> && std::is_same_v<std::remove_const_t<Q>, O> &&
                    std::is_same_v<std::remove_const_t<K>, O> && std::is_same_v<std::remove_const_t<V>, O>,
                "q, k, v and o must have the same element type, and o must not be const");
  static_assert(std::is_same_v<O, f16> || std::is_same_v<O, bf16>, "attention supports f16 and bf16");
}
}   // namespace detail

// q and o are [rows, heads, length], k and v [rows, heads or a divisor of them, length]. As many sequences of
// queries as of keys. The last query of a sequence sees its last key.
template <auto Score = no_score, class Q, class K, class V, class O>
void varlen_attention(OnDevice on, const TensorView<Q, 3> &q, const TensorView<K, 3> &k,
                      const TensorView<V, 3> &v, const TensorView<O, 3> &o, const Sequences &queries,
                      const Sequences &keys, const SequenceAttentionOptions &options = {}) {
  detail::check_elements<Q, K, V, O>();
  detail::sequence_attention<Score, O>("varlen_attention", on,
                                       {detail::stack_of(q),
                                        detail::stack_of(o),
                                        detail::paged_rows(k),
                                        detail::paged_rows(v),
                                        queries,
                                        keys,
                                        {}},
                                       options);
}

// k and v are [pages, keys of a page, heads, length].
template <auto Score = no_score, class Q, class K, class V, class O>
void paged_attention(OnDevice on, const TensorView<Q, 3> &q, const TensorView<K, 4> &k,
                     const TensorView<V, 4> &v, const TensorView<O, 3> &o, const Sequences &queries,
                     const Pages &pages, const SequenceAttentionOptions &options = {}) {
  detail::check_elements<Q, K, V, O>();
  detail::sequence_attention<Score, O>("paged_attention", on,
                                       {detail::stack_of(q),
                                        detail::stack_of(o),
                                        detail::paged_rows(k),
                                        detail::paged_rows(v),
                                        queries,
                                        {},
                                        pages},
                                       options);
}

}   // namespace tile::kernels
