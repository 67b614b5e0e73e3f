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
#include <tile/numerics.h>
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

// How rows are loaded and stored. Descriptors let warps have roles; they need addresses and strides that are
// multiples of 16 bytes.
enum class RowsBy { pointers, descriptors };

struct AttentionConfig {
  int block_m = 64, block_n = 64;   // queries per program, keys per step
  RowsBy rows = RowsBy::pointers;
  Launch launch{.num_warps = 4, .num_stages = 2};
};

namespace detail {

// A stack of heads as the kernel receives it; the elements of a row are contiguous.
template <class T, int HeadDim> struct Heads {
  Ptr<T> data;
  Int count, rows;
  Int64 head_stride;
  Int row_stride;
  RowsBy by;

  // The address of row `first` of a head.
  Ptr<T> at(const Int &head, const Int &first) const {
    return data + (cast<i64>(head) * head_stride + cast<i64>(first) * cast<i64>(row_stride));
  }
  // So many rows of a head from `first` on, whose address is `from`. Rows after the last one are zeros, if
  // some may be `missing`.
  Tensor<std::remove_const_t<T>> load(const Int &head, const Int &first, const Ptr<T> &from, int block,
                                      bool missing) const {
    if (by == RowsBy::descriptors)
      return blocks(block).load_reduced({head, first, 0});
    auto i = arange(0, block);
    return missing ? tile::load(from + within(i), i(all, none) < rows - first) : tile::load(from + within(i));
  }
  void store(const Int &head, const Int &first, const Tensor<T> &tile) const {
    if (by == RowsBy::descriptors)
      return blocks(tile.shape()[0]).store({head, first, 0}, tile);
    auto i = arange(0, tile.shape()[0]);
    tile::store(at(head, first) + within(i), tile, i(all, none) < rows - first);
  }

 private:
  Descriptor<T> blocks(int block) const {
    return descriptor(data, {count, rows, HeadDim}, {head_stride, row_stride, 1}, {1, block, HeadDim});
  }
  // The offset of a block has 64 bits. Within a block 32 bits are enough; the host checks that.
  Tensor<i32> within(const Tensor<i32> &i) const {
    return i(all, none) * row_stride + arange(0, HeadDim)(none, all);
  }
};

// Which block of queries a program takes, and of which head. The last queries of a causal head see the most
// keys, so their programs start first: of `section` heads at a time, whose keys and values a cache holds.
struct BlockOfHead {
  Int block, head;
};
template <bool Causal>
BlockOfHead block_of_program(const Int &heads, const Int &blocks, [[maybe_unused]] const Int &section) {
  Int program = program_id(0);
  if constexpr (!Causal)
    return {program % blocks, program / blocks};
  Int first = program / (section * blocks) * section, size = minimum(section, heads - first);
  Int within = program - first * blocks;
  return {blocks - 1 - within / size, first + within % size};
}

}   // namespace detail

template <class T, int HeadDim, bool Causal>
void attention_program(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<T> o, Int heads, Int queries,
                       Int keys, Int key_heads, Int sharing, Int section, Float scale, Int64 q_head,
                       Int q_row, Int64 k_head, Int k_row, Int64 v_head, Int v_row, Int64 o_head, Int o_row,
                       const AttentionConfig &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const auto [BM, BN, rows, launch] = cfg;
  const detail::Heads<const T, HeadDim> Q{q, heads, queries, q_head, q_row, rows},
      K{k, key_heads, keys, k_head, k_row, rows}, V{v, key_heads, keys, v_head, v_row, rows};
  const detail::Heads<T, HeadDim> O{o, heads, queries, o_head, o_row, rows};
  // A GPU deals out programs without roles as others end, so they need not be in the best order.
  const auto [block, head] = detail::block_of_program<Causal>(heads, cdiv(queries, BM),
                                                              rows == RowsBy::descriptors ? section : Int(1));
  Int first = block * BM, key_head = head / sharing;
  auto i = arange(0, BM), j = arange(0, BN);
  auto query = Q.load(head, first, Q.at(head, first), BM, true);
  Ptr<const T> next_keys = K.at(key_head, 0), next_values = V.at(key_head, 0);

  Tensor<f32> greatest = full<f32>({BM}, lowest), total = zeros<f32>({BM}), acc = zeros<f32>({BM, HeadDim});
  Float to_log2 = scale * static_cast<float>(std::numbers::log2e);   // exp(x) = exp2(x log2 e)
  // The keys that some query of the block sees, and those that all of them see: their blocks need no mask.
  Int seen = Causal ? minimum(keys, maximum(first + BM + (keys - queries), 0)) : keys;
  Int whole = Causal ? minimum(keys, maximum(first + 1 + (keys - queries), 0)) : keys;
  enum class Masked { never, always, where_needed };
  auto step = [&](const Int &begin, Masked masked) {
    const bool missing = masked != Masked::never;
    auto scores = dot(query, trans(K.load(key_head, begin, next_keys, BN, missing)));
    next_keys += BN * cast<i64>(k_row);
    auto hide = [&] {
      auto row = begin + j;
      auto visible = broadcast_to(row(none, all) < keys, {BM, BN});
      if (Causal)
        visible = visible & (row(none, all) <= i(all, none) + (first + (keys - queries)));
      scores = where(visible, scores, lowest);
    };
    if (masked == Masked::always)
      hide();
    if (masked == Masked::where_needed)
      TILE_IF (begin + BN > whole) {
        hide();
      }
    // The maximum is not scaled yet, so that scaling and subtracting are one operation.
    Tensor<f32> higher = maximum(greatest, max(scores, 1));
    // -inf - -inf is NaN. It can occur only with masks, because only they hide whole rows.
    auto subtrahend = (missing ? where(higher != lowest, higher, 0.0f) : higher) * to_log2;
    auto p = exp2_approx(scores * to_log2 - subtrahend(all, none));
    auto shrink = exp2_approx(greatest * to_log2 - subtrahend);
    total = total * shrink + sum(p, 1);
    acc = dot(cast<T>(p), V.load(key_head, begin, next_values, BN, missing), acc * shrink(all, none));
    next_values += BN * cast<i64>(v_row);
    greatest = higher;
  };
  if (rows == RowsBy::descriptors) {
    for (auto begin : range(0, seen, BN))
      step(begin, Masked::where_needed);
  } else {   // without masks, loads are faster
    for (auto begin : range(0, whole / BN * BN, BN))
      step(begin, Masked::never);
    for (auto begin : range(whole / BN * BN, seen, BN))
      step(begin, Masked::always);
  }

  auto share = where(total > 0.0f, fdiv_approx(1.0f, total), 0.0f);
  O.store(head, first, cast<T>(acc * share(all, none)));
}

struct AttentionOptions {
  std::optional<float> scale;   // factor of the scores, positive; none: 1 / sqrt(length of a head)
  bool causal = false;
  std::optional<AttentionConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;       // without a config: what decides the bits of a result
};

namespace detail {
std::vector<AttentionConfig> attention_configs(int head_dim);
// Seconds that a launch is expected to take; the same for all sizes in a bucket.
double attention_seconds(const Machine &machine, const AttentionConfig &cfg, int heads, int queries, int keys,
                         int head_dim, bool causal);

// Whether rows are where the config needs them.
bool keep_attention_config(const AttentionConfig &cfg, const std::array<const void *, 4> &data,
                           const std::array<std::int64_t, 8> &strides);

struct AttentionShape {
  int heads, queries, keys, length, key_heads;
  int sharing, section;      // heads of queries: per head of keys, and those whose keys a cache holds
  std::array<int, 4> rows;   // the row strides of q, k, v and o
};
// Throws tile::Error if the operands do not fit together.
AttentionShape attention_shape(const Operands &operands, const Stack &q, const Stack &k, const Stack &v,
                               const Stack &o, const AttentionOptions &options);
}   // namespace detail

template <class T, int HeadDim, bool Causal>
inline const Kernel<&attention_program<T, HeadDim, Causal>> attention_kernel{
    .name = "attention",
    .parameters = {"q", "k", "v", "o", "heads", "queries", "keys", "key_heads", "sharing", "section", "scale",
                   "q_head", "q_row", "k_head", "k_row", "v_head", "v_row", "o_head", "o_row"},
    .grid = [](auto &cfg, auto, auto, auto, auto, int heads, int queries,
               auto...) { return Grid{std::int64_t{cdiv(queries, cfg.block_m)} * heads}; },
    .configs = detail::attention_configs(HeadDim),
    .key =
        [](auto, auto, auto, auto, int heads, int queries, int keys, auto...) {
          return Key{detail::size_bucket(heads), detail::size_bucket(queries), detail::size_bucket(keys)};
        },
    .keep = [](auto &cfg, auto q, auto k, auto v, auto o, int, int, int, int, int, int, float,
               auto... strides) { return detail::keep_attention_config(cfg, {q, k, v, o}, {strides...}); },
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
  std::optional<AttentionConfig> config = options.config;
  if (!config && options.numerics != Numerics::any)
    config = AttentionConfig();   // for all lengths and GPUs
  auto run = [&](const auto &kernel) {
    kernel.launch_with(
        config, on, q, k, v, o, shape.heads, shape.queries, shape.keys, shape.key_heads, shape.sharing,
        shape.section, options.scale.value_or(1 / std::sqrt(static_cast<float>(shape.length))), q.strides[0],
        shape.rows[0], k.strides[0], shape.rows[1], v.strides[0], shape.rows[2], o.strides[0], shape.rows[3]);
  };
  auto choose = [&]<int Length>(std::integral_constant<int, Length>) {
    if (shape.length == Length)
      options.causal ? run(attention_kernel<T, Length, true>) : run(attention_kernel<T, Length, false>);
  };
  choose(std::integral_constant<int, 16>());
  choose(std::integral_constant<int, 32>());
  choose(std::integral_constant<int, 64>());
  choose(std::integral_constant<int, 128>());
  choose(std::integral_constant<int, 256>());
}

}   // namespace tile::kernels
