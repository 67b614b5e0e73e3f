// SPDX-License-Identifier: MIT
// o = softmax(scale q kᵀ) v for a stack of heads. The scores are never stored in memory: a program takes a
// block of queries and goes through keys and values once, with a running maximum and a running sum.
//
//   attention(device, TensorView<f16, 3>(q, {heads, n, 128}), k, v, o, {.causal = true});
//
// Several heads of queries may share one head of keys and values. With `causal`, query i sees the keys up to
// i + (keys - queries): the last query sees all keys. If a query sees no key, its result is zeros.
//
// A function may change scores before the softmax. It is traced into the kernel:
//
//   Tensor<f32> nearer(const Tensor<f32> &scores, const ScorePlace &at) {   // keys of the same 64 alone
//     return where(at.query / 64 == at.key / 64, scores, -INFINITY);
//   }
//   attention<nearer>(device, q, k, v, o);
#pragma once

#include <tile/attention_softmax.h>
#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tile::kernels {

struct AttentionConfig {
  int block_m = 64, block_n = 64;   // queries per program, keys per step
  RowsBy rows = RowsBy::pointers;
  Launch launch{.num_warps = 4, .num_stages = 2};
  AttentionForm form{};   // the launch decides it
};

namespace detail {

// Which block of queries a program takes, and of which head. If a window ends, the last queries of a head see
// the most keys. Heads come in sections of `section`, whose keys and values a cache holds.
//
// A GPU deals programs out as others end: then the longest ones start first. With `takes_many`, a CTA takes
// each 132nd program. It gets long and short ones, if blocks go up in one section and down in the next:
//
//    keys that programs see    1 2 3 4 ... 4 3 2 1
//    of CTA 0 and of CTA 1     1 + 4, 2 + 3
struct BlockOfHead {
  Int block, head;
};
inline BlockOfHead block_of_program(bool last_first, bool takes_many, const Int &heads, const Int &blocks,
                                    const Int &section) {
  Int program = program_id(0);
  if (!last_first)
    return {program % blocks, program / blocks};
  Int number = program / (section * blocks);
  Int first = number * section, size = minimum(section, heads - first);
  Int within = program - first * blocks;
  Int block = blocks - 1 - within / size;
  if (takes_many)
    block = where((cdiv(heads, section) - number) % 2 == 0, blocks - 1 - block, block);
  return {block, first + within % size};
}

}   // namespace detail

template <class T, auto Score>
void attention_program(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<T> o, Ptr<f32> log_sum_exp,
                       Ptr<const f32> slopes, Ptr<const T> bias, Int heads, Int queries, Int keys,
                       Int key_heads, Int sharing, Int section, Dynamic<Int> length,
                       Dynamic<Int> value_length, Dynamic<Int> before, Dynamic<Int> after, Float scale,
                       Float soft_cap, Int64 q_head, Int q_row, Int64 k_head, Int k_row, Int64 v_head,
                       Int v_row, Int64 o_head, Int o_row, Int64 log_head, Int64 bias_head, Int bias_row,
                       const AttentionConfig &cfg) {
  const auto [BM, BN, rows, launch, form] = cfg;
  const int D = form.length, DV = form.value_length;
  const detail::Heads<const T> Q{q, heads, queries, q_head, q_row, rows, D, length, form.full_rows},
      K{k, key_heads, keys, k_head, k_row, rows, D, length, form.full_rows},
      V{v, key_heads, keys, v_head, v_row, rows, DV, value_length, form.full_rows};
  const detail::Heads<T> O{o, heads, queries, o_head, o_row, rows, DV, value_length, form.full_rows};
  const detail::Sight sight{queries, keys, before, after, form.bounded_before, form.bounded_after};
  const detail::ScoreChange<Score> change{form, scale, soft_cap};
  const bool has_roles = rows == RowsBy::descriptors;   // and CTAs that take many programs
  const auto [block, head] = detail::block_of_program(form.bounded_after, has_roles, heads, cdiv(queries, BM),
                                                      has_roles ? section : Int(1));
  Int first = block * BM, last = first + (BM - 1), key_head = head / sharing;
  auto i = arange(0, BM), j = arange(0, BN);
  auto query = Q.load(head, first, Q.at(head, first), BM, true);
  const detail::KeyRange seen{form.bounded_before ? sight.from(first) / BN * BN : Int(0), sight.end(last),
                              sight.from(last), sight.end(first)};
  Ptr<const T> next_keys = K.at(key_head, seen.from), next_values = V.at(key_head, seen.from);
  Float slope = form.slopes ? load(slopes + head) : constant<f32>(0);
  // exp(x) = exp2(x log2 e). Scores that nobody looks at are scaled only then.
  detail::RunningSoftmax<T> softmax(
      BM, DV, change.is_plain() ? scale * detail::log2_e : constant<f32>(detail::log2_e));
  // Loads are faster without masks, and descriptors need none.
  detail::for_each_block(seen, BN, form.bounded_before, rows == RowsBy::descriptors,
                         [&](const Int &begin, detail::Masked masked) {
                           const bool missing = masked != detail::Masked::never;
                           auto scores = dot(query, trans(K.load(key_head, begin, next_keys, BN, missing)));
                           next_keys += BN * cast<i64>(k_row);
                           const ScorePlace at{full<i32>({1, 1}, head), (first + i)(all, none),
                                               (begin + j)(none, all), queries, keys};
                           if (!change.is_plain())
                             scores = change(scores, at, slope, [&] {
                               Ptr<const T> corner = bias + (cast<i64>(head) * bias_head +
                                                             cast<i64>(first) * cast<i64>(bias_row));
                               auto within = i(all, none) * bias_row + j(none, all);
                               return load(corner + begin + within, (at.query < queries) & (at.key < keys));
                             });
                           detail::hide_unseen(scores, masked, begin, BN, seen, sight, at);
                           softmax.add(scores, missing || change.may_hide(),
                                       [&] { return V.load(key_head, begin, next_values, BN, missing); });
                           next_values += BN * cast<i64>(v_row);
                         });
  O.store(head, first, cast<T>(softmax.result()));
  if (form.log_sum_exp)
    store(log_sum_exp + (cast<i64>(head) * log_head + cast<i64>(first)) + i, softmax.log_sum_exp(),
          i < queries - first);
}

struct AttentionOptions {
  std::optional<float> scale;   // factor of the products, positive; none: 1 / sqrt(length of a row of q)
  bool causal = false;          // a query sees no key after its own: a window with `after` = 0
  Window window{};
  float soft_cap = 0;   // scores are soft_cap tanh(score / soft_cap); 0: they are as they are
  std::optional<VectorView<const f32>> slopes;   // of each head: scores lose slope |own key - key| (ALiBi)
  std::optional<AttentionConfig> config;         // none: the kernel chooses
  Numerics numerics = Numerics::any;             // without a config: what decides the bits of a result
};

// Further operands of attention().
template <class T> struct AttentionExtras {
  std::optional<TensorView<const T, 3>> bias;   // [heads or 1, queries, keys], added to the scaled scores
  std::optional<MatrixView<f32>> log_sum_exp;   // [heads, queries], written: log of the sum of exp(scores)
};

namespace detail {
std::vector<AttentionConfig> attention_configs();

// What decides how long a launch takes.
struct AttentionSize {
  int heads, queries, keys, length, value_length, before, after;
  // Pairs of a query and a key that it sees, of one head. What `causal` hides is half of them, as everybody
  // counts.
  double pairs() const;
  double flop() const { return 2.0 * heads * pairs() * (length + value_length); }   // of two products
};
Key attention_key(const AttentionSize &size, const AttentionForm &form);
// Seconds that a launch is expected to take; the same for all sizes in a bucket.
double attention_seconds(const Machine &machine, const AttentionConfig &cfg, const AttentionSize &size);

// Whether the config suits rows of such lengths that lie there. `strides`: of heads and of rows.
bool keep_attention_config(const AttentionConfig &cfg, int length, int value_length,
                           std::initializer_list<const void *> data,
                           std::initializer_list<std::int64_t> strides);

struct AttentionOperands {
  Stack q, k, v, o;
  std::optional<Stack> bias;
  std::optional<Placed> log_sum_exp;
};
// The integers and numbers of a launch.
struct AttentionShape {
  AttentionSize size;
  int key_heads;
  int sharing, section;   // heads of queries: per head of keys, and those whose keys a cache holds
  float scale;
  int q_row, k_row, v_row, o_row, bias_row;
  std::int64_t bias_head, log_head;
};
// Both throw tile::Error if the operands do not fit together. The second one compares addresses.
AttentionShape attention_shape(const Operands &operands, const AttentionOperands &of,
                               const AttentionOptions &options);
void check_attention_memory(const Operands &operands, const AttentionOperands &of,
                            const AttentionOptions &options);
// Parts of these checks: what the options ask for whatever the operands are, the length of rows, and the
// window, whose bounds are `no_bound` if they hide nothing.
void check_attention_options(const Operands &operands, const AttentionOptions &options);
void check_attention_rows(const Operands &operands, std::string_view name, std::int64_t length);
std::pair<int, int> attention_bounds(const AttentionOptions &options, int queries, int keys);
// The distance of the rows of an operand whose elements are contiguous.
int attention_row_stride(const Operands &operands, std::string_view name, const Stack &stack);
bool are_describable(std::initializer_list<const void *> data, std::initializer_list<std::int64_t> strides);
Stack as_stack(const Placed &matrix);
}   // namespace detail

template <class T, auto Score = no_score>
inline const Kernel<&attention_program<T, Score>> attention_kernel{
    .name = "attention",
    .parameters = {"q",         "k",       "v",        "o",         "log_sum_exp",
                   "slopes",    "bias",    "heads",    "queries",   "keys",
                   "key_heads", "sharing", "section",  "length",    "value_length",
                   "before",    "after",   "scale",    "soft_cap",  "q_head",
                   "q_row",     "k_head",  "k_row",    "v_head",    "v_row",
                   "o_head",    "o_row",   "log_head", "bias_head", "bias_row"},
    .grid = [](auto &cfg, auto, auto, auto, auto, auto, auto, auto, int heads, int queries,
               auto...) { return Grid{std::int64_t{cdiv(queries, cfg.block_m)} * heads}; },
    .configs = detail::attention_configs(),
    .complete =
        [](auto cfg, auto, auto, auto, auto, auto log_sum_exp, auto slopes, auto bias, int, int, int, int,
           int, int, int length, int value_length, int before, int after, float, float soft_cap, auto...) {
          cfg.form = detail::attention_form(length, value_length, before, after, soft_cap, slopes, bias,
                                            log_sum_exp);
          return cfg;
        },
    .key =
        [](auto, auto, auto, auto, auto log_sum_exp, auto slopes, auto bias, int heads, int queries, int keys,
           int, int, int, int length, int value_length, int before, int after, float, float soft_cap,
           auto...) {
          return detail::attention_key({heads, queries, keys, length, value_length, before, after},
                                       detail::attention_form(length, value_length, before, after, soft_cap,
                                                              slopes, bias, log_sum_exp));
        },
    .keep =
        [](auto &cfg, auto q, auto k, auto v, auto o, auto, auto, auto, int, int, int, int, int, int,
           int length, int value_length, int, int, float, float, std::int64_t q_head, int q_row,
           std::int64_t k_head, int k_row, std::int64_t v_head, int v_row, std::int64_t o_head, int o_row,
           auto...) {
          return detail::keep_attention_config(cfg, length, value_length, {q, k, v, o},
                                               {q_head, q_row, k_head, k_row, v_head, v_row, o_head, o_row});
        },
    .work =
        [](auto, auto, auto, auto, auto, auto, auto, int heads, int queries, int keys, int, int, int,
           int length, int value_length, int before, int after, auto...) {
          return Work{
              .flop =
                  detail::AttentionSize{heads, queries, keys, length, value_length, before, after}.flop()};
        },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto, auto, auto, int heads,
           int queries, int keys, int, int, int, int length, int value_length, int before, int after,
           auto...) {
          return detail::attention_seconds(machine, cfg,
                                           {heads, queries, keys, length, value_length, before, after});
        },
    .tunes = Tunes::when_asked};

// q is [heads, queries, length], k is [heads or a divisor of it, keys, length], v has the heads and keys of
// k, o the heads and queries of q and the length of v's rows. Lengths are from 1 to 256 elements, which are
// contiguous in memory.
template <auto Score = no_score, class Q, class K, class V, class O>
void attention(OnDevice on, const TensorView<Q, 3> &q, const TensorView<K, 3> &k, const TensorView<V, 3> &v,
               const TensorView<O, 3> &o, const AttentionOptions &options = {},
               const AttentionExtras<std::type_identity_t<O>> &extras = {}) {
  using T = std::remove_const_t<O>;
  static_assert(std::is_same_v<O, T> && std::is_same_v<std::remove_const_t<Q>, T> &&
                    std::is_same_v<std::remove_const_t<K>, T> && std::is_same_v<std::remove_const_t<V>, T>,
                "q, k, v and o must have the same element type, and o must not be const");
  static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "attention supports f16 and bf16");
  detail::AttentionOperands operands{
      detail::stack_of(q), detail::stack_of(k), detail::stack_of(v), detail::stack_of(o), {}, {}};
  if (extras.bias)
    operands.bias = detail::stack_of(*extras.bias);
  if (extras.log_sum_exp)
    operands.log_sum_exp = detail::placed(*extras.log_sum_exp);
  const detail::Operands checks("attention", on.where);
  const detail::AttentionShape shape = detail::attention_shape(checks, operands, options);
  detail::check_attention_memory(checks, operands, options);
  const detail::AttentionSize &size = shape.size;
  std::optional<AttentionConfig> config = options.config;
  if (!config && options.numerics != Numerics::any)
    config = AttentionConfig();   // for all lengths and GPUs
  attention_kernel<T, Score>.launch_with(
      config, on, q, k, v, o, extras.log_sum_exp.value_or(MatrixView<f32>()),
      options.slopes.value_or(VectorView<const f32>()), extras.bias.value_or(TensorView<const T, 3>()),
      size.heads, size.queries, size.keys, shape.key_heads, shape.sharing, shape.section, size.length,
      size.value_length, size.before, size.after, shape.scale, options.soft_cap, q.strides[0], shape.q_row,
      k.strides[0], shape.k_row, v.strides[0], shape.v_row, o.strides[0], shape.o_row, shape.log_head,
      shape.bias_head, shape.bias_row);
}

}   // namespace tile::kernels
