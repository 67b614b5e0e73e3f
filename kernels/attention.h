// SPDX-License-Identifier: MIT
// o = softmax(scale q kᵀ) v for a stack of heads. The scores are never stored in memory: a program takes a
// block of queries and goes through keys and values once, with a running maximum and a running sum.
//
//   attention(device, TensorView<f16, 3>(q, {heads, n, 128}), k, v, o, {.causal = true});
//
// Several heads of queries may share one head of keys and values. With `causal`, query i sees the keys up to
// i + (keys - queries): the last query sees all keys. If a query sees no key, its result is zeros.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <type_traits>
#include <vector>

namespace tile::kernels {

struct AttentionConfig {
  int block_m = 64, block_n = 64;   // queries per program, keys per step
  // Compute the scores of the next step while this step processes its own. It helps with units that multiply
  // while the threads do other work, and needs registers for both.
  bool ahead = false;
  Launch launch{.num_warps = 4, .num_stages = 2};
};

template <class T, int HeadDim, bool Causal>
void attention_program(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<T> o,
                       [[maybe_unused]] Dynamic<Int> heads, Int queries, Int keys, Int sharing, Float scale,
                       Int64 q_head, Int q_row, Int64 k_head, Int k_row, Int64 v_head, Int v_row,
                       Int64 o_head, Int o_row, const AttentionConfig &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const auto [BM, BN, ahead, launch] = cfg;
  // The last queries of a causal head see the most keys, so their programs start first.
  Int block = Causal ? num_programs(0) - 1 - program_id(0) : program_id(0);
  Int first = block * BM, head = program_id(1), left = queries - first;
  auto i = arange(0, BM), j = arange(0, BN), d = arange(0, HeadDim);
  // The offset of a block has 64 bits. Within a block 32 bits are enough; the host checks that.
  auto block_of = [&](const auto &stack, const Int &member, const Int64 &member_stride, const Int &row,
                      const Int &row_stride) {
    return stack + (cast<i64>(member) * member_stride + cast<i64>(row) * cast<i64>(row_stride));
  };
  auto within = [&](const Int &row, const Int &stride) { return row(all, none) * stride + d(none, all); };
  auto query = load(block_of(q, head, q_head, first, q_row) + within(i, q_row), i(all, none) < left);
  auto next_keys = block_of(k, head / sharing, k_head, 0, k_row);
  auto next_values = block_of(v, head / sharing, v_head, 0, v_row);

  Tensor<f32> greatest = full<f32>({BM}, lowest), total = zeros<f32>({BM}), acc = zeros<f32>({BM, HeadDim});
  Float to_log2 = scale * static_cast<float>(std::numbers::log2e);   // exp(x) = exp2(x log2 e)
  auto scores_of = [&](const Int &begin, bool masked) {
    auto key = masked ? load(next_keys + within(j, k_row), (begin + j)(all, none) < keys)
                      : load(next_keys + within(j, k_row));
    next_keys += BN * cast<i64>(k_row);
    return dot(query, trans(key));
  };
  Tensor<f32> next_scores = ahead ? scores_of(0, true) : zeros<f32>({BM, BN});
  auto step = [&](const Int &begin, bool masked) {
    auto row = begin + j;
    auto scores = ahead ? next_scores : scores_of(begin, masked);
    if (ahead)
      next_scores = scores_of(begin + BN, true);
    auto value = masked ? load(next_values + within(j, v_row), row(all, none) < keys)
                        : load(next_values + within(j, v_row));
    next_values += BN * cast<i64>(v_row);
    if (masked) {
      auto seen = broadcast_to(row(none, all) < keys, {BM, BN});
      if (Causal)
        seen = seen & (row(none, all) <= i(all, none) + (first + (keys - queries)));
      scores = where(seen, scores, lowest);
    }
    // The maximum is not scaled yet, so that scaling and subtracting are one operation.
    Tensor<f32> higher = maximum(greatest, max(scores, 1));
    // -inf - -inf is NaN. It can occur only with masks, because only they hide whole rows.
    auto subtrahend = (masked ? where(higher != lowest, higher, 0.0f) : higher) * to_log2;
    auto p = exp2_approx(scores * to_log2 - subtrahend(all, none));
    auto shrink = exp2_approx(greatest * to_log2 - subtrahend);
    total = total * shrink + sum(p, 1);
    acc = dot(cast<T>(p), value, acc * shrink(all, none));
    greatest = higher;
  };
  // A block needs no mask if every query sees all of it.
  Int seen = Causal ? minimum(keys, maximum(first + BM + (keys - queries), 0)) : keys;
  Int whole = Causal ? minimum(keys, maximum(first + 1 + (keys - queries), 0)) / BN * BN : keys / BN * BN;
  for (auto begin : range(0, whole, BN))
    step(begin, false);
  for (auto begin : range(whole, seen, BN))
    step(begin, true);

  auto share = where(total > 0.0f, fdiv_approx(1.0f, total), 0.0f);
  store(block_of(o, head, o_head, first, o_row) + within(i, o_row), cast<T>(acc * share(all, none)),
        i(all, none) < left);
}

struct AttentionOptions {
  std::optional<float> scale;   // factor of the scores, positive; none: 1 / sqrt(length of a head)
  bool causal = false;
  std::optional<AttentionConfig> config;   // none: the kernel chooses
};

namespace detail {
std::vector<AttentionConfig> attention_configs(int head_dim);
// Seconds that a launch is expected to take; the same for all sizes in a bucket.
double attention_seconds(const Machine &machine, const AttentionConfig &cfg, int heads, int queries, int keys,
                         int head_dim, bool causal);

struct AttentionShape {
  int heads, queries, keys, length, sharing;   // sharing: heads of queries per head of keys
  std::array<int, 4> rows;                     // the row strides of q, k, v and o
};
// Throws tile::Error if the operands do not fit together.
AttentionShape attention_shape(const Operands &operands, const Stack &q, const Stack &k, const Stack &v,
                               const Stack &o, const AttentionOptions &options);
}   // namespace detail

template <class T, int HeadDim, bool Causal>
inline const Kernel<&attention_program<T, HeadDim, Causal>> attention_kernel{
    .name = "attention",
    .parameters = {"q", "k", "v", "o", "heads", "queries", "keys", "sharing", "scale", "q_head", "q_row",
                   "k_head", "k_row", "v_head", "v_row", "o_head", "o_row"},
    .grid = [](auto &cfg, auto, auto, auto, auto, int heads, int queries,
               auto...) { return Grid{cdiv(queries, cfg.block_m), heads}; },
    .configs = detail::attention_configs(HeadDim),
    .key =
        [](auto, auto, auto, auto, int heads, int queries, int keys, auto...) {
          return Key{detail::size_bucket(heads), detail::size_bucket(queries), detail::size_bucket(keys)};
        },
    .work =
        [](auto, auto, auto, auto, int heads, int queries, int keys, auto...) {
          return Work{.flop = (Causal ? 2.0 : 4.0) * heads * double(queries) * double(keys) * HeadDim};
        },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, int heads, int queries, int keys,
           auto...) {
          return detail::attention_seconds(machine, cfg, heads, queries, keys, HeadDim, Causal);
        },
    .tunes = Tunes::when_asked};

// q and o are [heads, queries, length]; k and v are [heads or a divisor of it, keys, length]. The length is
// 16, 32, 64, 128 or 256 elements, which are contiguous in memory.
template <class Q, class K, class V, class O>
void attention(OnDevice on, const TensorView<Q, 3> &q, const TensorView<K, 3> &k, const TensorView<V, 3> &v,
               const TensorView<O, 3> &o, const AttentionOptions &options = {}) {
  using T = std::remove_const_t<O>;
  static_assert(std::is_same_v<O, T> && std::is_same_v<std::remove_const_t<Q>, T> &&
                    std::is_same_v<std::remove_const_t<K>, T> && std::is_same_v<std::remove_const_t<V>, T>,
                "q, k, v and o must have the same element type, and o must not be const");
  static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "attention supports f16 and bf16");
  const detail::AttentionShape shape =
      detail::attention_shape(detail::Operands("attention", on.where), detail::stack_of(q),
                              detail::stack_of(k), detail::stack_of(v), detail::stack_of(o), options);
  auto run = [&](const auto &kernel) {
    kernel(on, q, k, v, o, shape.heads, shape.queries, shape.keys, shape.sharing,
           options.scale.value_or(1 / std::sqrt(static_cast<float>(shape.length))), q.strides[0],
           shape.rows[0], k.strides[0], shape.rows[1], v.strides[0], shape.rows[2], o.strides[0],
           shape.rows[3]);
  };
  auto choose = [&]<int Length>(std::integral_constant<int, Length>) {
    auto with_config = [&](const auto &kernel) {
      options.config ? run(kernel.with(*options.config)) : run(kernel);
    };
    if (shape.length == Length)
      options.causal ? with_config(attention_kernel<T, Length, true>)
                     : with_config(attention_kernel<T, Length, false>);
  };
  choose(std::integral_constant<int, 16>());
  choose(std::integral_constant<int, 32>());
  choose(std::integral_constant<int, 64>());
  choose(std::integral_constant<int, 128>());
  choose(std::integral_constant<int, 256>());
}

}   // namespace tile::kernels
