// SPDX-License-Identifier: MIT
// Rotary position embedding: pairs of elements of each head are rotated by the angles of the token's
// position.
//
//   y[a] = x[a] cos - x[b] sin        y[b] = x[b] cos + x[a] sin
//
//   rotary_embedding(device, x, cos, sin, y);                          // token i has position i
//   rotary_embedding(device, x, cos, sin, y, positions, {.pairs = RotaryPairs::interleaved});
//   rotary_embedding(device, grad_y, cos, sin, grad_x, {.inverse = true});   // the backward pass
//
// x and y are [tokens, heads, elements], cos and sin [positions, pairs]. Elements behind the pairs are
// copied. The arithmetic is f32 for all element types.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tile::kernels {

enum class RotaryPairs : std::uint8_t {
  halves,       // elements i and i + pairs, as in GPT-NeoX and Llama
  interleaved   // elements 2 i and 2 i + 1, as in GPT-J
};

// What the arguments of a launch fix in its code. The launch fills it in.
struct RotaryForm {
  RotaryPairs pairs = RotaryPairs::halves;
  bool has_positions = false, checks_positions = false;   // an array of them; else tokens are numbered
  int multiple = 1;                                       // what divides the number of pairs, at most 16
};

struct RotaryConfig {
  int block_t = 1, block_h = 8, block_p = 64;   // tokens, heads and pairs of a tile
  RotaryForm form{};
  Launch launch{.num_warps = 2};
};

// One program for block_t tokens and block_h heads. `first`: the position of token 0. `sign`: of the sines.
// `end`: the elements from the last pair up to here are copied.
template <class T, class C, class Index>
void rotary_program(Dynamic<Int64> tokens, Int64 heads, Int64 some_pairs, Int64 end,
                    [[maybe_unused]] Dynamic<Int> layout, Ptr<const T> x, Ptr<const C> cosines,
                    Ptr<const C> sines, [[maybe_unused]] Ptr<const Index> positions, Ptr<T> y,
                    Dynamic<Int64> rows_of_table, Dynamic<Int64> first,
                    [[maybe_unused]] Dynamic<Int> is_checked, Float sign, Int64 x_token, Int64 x_head,
                    Int64 x_element, Int64 y_token, Int64 y_head, Int64 y_element, Int64 cos_row,
                    Int64 cos_col, Int64 sin_row, Int64 sin_col, const RotaryConfig &cfg) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const int BT = cfg.block_t, BH = cfg.block_h, BP = cfg.block_p;
  const RotaryForm form = cfg.form;
  const Int64 pairs = assume_divisible(some_pairs, form.multiple);
  Int program = program_id(0), blocks = cast<i32>(cdiv(heads, std::int64_t{BH}));
  Int of_tokens = program / blocks, of_heads = program - of_tokens * blocks;
  auto token = cast<i64>(of_tokens) * BT + cast<i64>(arange(0, BT));
  auto head = (cast<i64>(of_heads) * BH + cast<i64>(arange(0, BH)))(none, all, none);
  auto is_token = token < tokens, is_known = is_token;
  auto is_row = is_token(all, none, none) & (head < heads);
  auto from = x + token(all, none, none) * x_token + head * x_head;
  auto to = y + token(all, none, none) * y_token + head * y_head;

  auto position = token + first;
  if (form.has_positions) {
    position = cast<i64>(load(positions + token, is_token));
    is_known = (position >= 0) & (position < rows_of_table);
    if (form.checks_positions)
      device_assert(is_known, "the positions of the tokens of this program are rows of cos and sin",
                    is_token);
  }

  for (auto begin : range(0, pairs, BP)) {
    auto pair = (begin + cast<i64>(arange(0, BP)))(none, none, all);
    auto of_table = [&](const Ptr<const C> &table, const Int64 &across, const Int64 &along) {
      auto at = table + position(all, none, none) * across + pair * along;
      return cast<f32>(load(broadcast_to(at, {BT, BH, BP}), is_known(all, none, none) & (pair < pairs), nan));
    };
    auto c = of_table(cosines, cos_row, cos_col), s = of_table(sines, sin_row, sin_col) * sign;
    if (form.pairs == RotaryPairs::halves) {
      auto is_inside = is_row & (pair < pairs);
      auto a = cast<f32>(load(from + pair * x_element, is_inside));
      auto b = cast<f32>(load(from + (pair + pairs) * x_element, is_inside));
      store(to + pair * y_element, cast<T>(a * c - b * s), is_inside);
      store(to + (pair + pairs) * y_element, cast<T>(b * c + a * s), is_inside);
    } else {
      auto element = (begin * 2 + cast<i64>(arange(0, 2 * BP)))(none, none, all);
      auto is_inside = is_row & (element < pairs * 2);
      auto both = load(from + element * x_element, is_inside);
      auto [even, odd] = split(reshape(both, {BT, BH, BP, 2}));
      auto a = cast<f32>(even), b = cast<f32>(odd);
      store(to + element * y_element, cast<T>(interleave(a * c - b * s, b * c + a * s)), is_inside);
    }
  }
  for (auto begin : range(pairs * 2, end, 2 * BP)) {
    auto element = (begin + cast<i64>(arange(0, 2 * BP)))(none, none, all);
    auto is_inside = is_row & (element < end);
    store(to + element * y_element, load(from + element * x_element, is_inside), is_inside);
  }
}

namespace detail {

inline std::vector<RotaryConfig> rotary_configs() {
  auto config = [](int block_t, int block_h, int block_p, int num_warps) {
    return RotaryConfig{
        .block_t = block_t, .block_h = block_h, .block_p = block_p, .launch = {.num_warps = num_warps}};
  };
  // Of those that are expected to be alike, the first one counts: with two warps, so that more fit.
  return {config(1, 4, 128, 2), config(1, 8, 128, 4), config(4, 1, 128, 2), config(1, 8, 64, 2),
          config(1, 8, 64, 4),  config(1, 16, 64, 4), config(1, 32, 64, 8), config(8, 1, 64, 2),
          config(2, 4, 64, 2),  config(1, 4, 64, 1),  config(4, 1, 64, 1),  config(1, 2, 64, 1),
          config(1, 16, 32, 2), config(4, 4, 32, 2),  config(1, 32, 32, 4), config(1, 8, 32, 1),
          config(8, 1, 32, 1),  config(1, 2, 32, 1),  config(1, 32, 16, 2), config(8, 4, 16, 2),
          config(1, 16, 16, 1), config(16, 1, 16, 1), config(1, 2, 16, 1)};
}

inline bool keep_rotary_config(const RotaryConfig &cfg, std::int64_t heads, std::int64_t pairs) {
  return (cfg.block_p == 16 || cfg.block_p < 2 * pairs) && (cfg.block_h == 1 || cfg.block_h < 2 * heads);
}

// Elements of a head that a launch moves.
inline std::int64_t rotary_moved(std::int64_t pairs, std::int64_t end) { return std::max(2 * pairs, end); }

// The heads of tokens as matrices: a few of many rows.
template <class View> Stack by_heads(const View &view) {
  return {view.data,
          {view.extents[1], view.extents[0], view.extents[2]},
          {view.strides[1], view.strides[0], view.strides[2]},
          sizeof(*view.data)};
}
inline Stack stack_of(const Placed &one) {
  return {
      one.data, {1, one.shape.rows, one.shape.cols}, {0, one.row_stride, one.col_stride}, one.element_bytes};
}
// All heads of a token as one row, if they are one.
template <class View> std::optional<Placed> as_rows(const View &view) {
  const auto &[tokens, heads, elements] = view.extents;
  if (heads > 1 && view.strides[1] != elements * view.strides[2])
    return std::nullopt;
  return Placed{view.data, {tokens, heads * elements}, view.strides[0], view.strides[2], sizeof(*view.data)};
}
template <class X, class Y> bool are_same_elements(const X &x, const Y &y) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (x.extents[axis] > 1 && x.strides[axis] != y.strides[axis])
      return false;
  return x.data == y.data;
}

}   // namespace detail

template <class T, class C, class Index>
inline const Kernel<&rotary_program<T, C, Index>> rotary_kernel{
    .name = "rotary_embedding",
    .parameters = {"tokens",     "heads",     "pairs",     "end",     "layout",        "x",
                   "cos",        "sin",       "positions", "y",       "rows_of_table", "first",
                   "is_checked", "sign",      "x_token",   "x_head",  "x_element",     "y_token",
                   "y_head",     "y_element", "cos_row",   "cos_col", "sin_row",       "sin_col"},
    .grid =
        [](auto &cfg, std::int64_t tokens, std::int64_t heads, auto...) {
          return Grid{cdiv(tokens, std::int64_t{cfg.block_t}) * cdiv(heads, std::int64_t{cfg.block_h})};
        },
    .configs = detail::rotary_configs(),
    .complete =
        [](auto cfg, std::int64_t, std::int64_t, std::int64_t pairs, std::int64_t, int layout, auto, auto,
           auto, auto positions, auto, std::int64_t, std::int64_t, int is_checked, auto...) {
          cfg.form = {static_cast<RotaryPairs>(layout), positions != nullptr,
                      positions != nullptr && is_checked != 0,
                      static_cast<int>(std::gcd(pairs, std::int64_t{16}))};
          return cfg;
        },
    .key = [](std::int64_t tokens, std::int64_t heads, std::int64_t pairs, std::int64_t end,
              auto...) { return Key{detail::size_bucket(tokens), heads, pairs, end}; },
    .keep = [](auto &cfg, std::int64_t, std::int64_t heads, std::int64_t pairs,
               auto...) { return detail::keep_rotary_config(cfg, heads, pairs); },
    .work =
        [](std::int64_t tokens, std::int64_t heads, std::int64_t pairs, std::int64_t end, auto...) {
          return Work{.bytes = double(tokens) *
                               (2.0 * sizeof(T) * double(heads) * double(detail::rotary_moved(pairs, end)) +
                                2.0 * sizeof(C) * double(pairs))};
        },
    .cost =
        [](auto &cfg, const Machine &machine, std::int64_t tokens, std::int64_t heads, std::int64_t pairs,
           std::int64_t end, auto...) {
          const std::int64_t some = detail::size_bucket(tokens), elements = detail::rotary_moved(pairs, end);
          return detail::tile_seconds(
              machine, {{some, cfg.block_t}, {heads, cfg.block_h}, {2 * pairs, 2 * cfg.block_p, false}},
              2.0 * sizeof(T) * double(some) * double(heads) * double(elements), cfg.launch);
        },
    .tunes = Tunes::when_asked};

struct RotaryOptions {
  RotaryPairs pairs = RotaryPairs::halves;
  std::int64_t first_position = 0;      // of token 0, where no positions are given
  bool inverse = false;                 // rotates back: the gradient by x, from that by y
  bool check_positions = false;         // also on GPUs: a position that is no row stops the launch
  std::optional<RotaryConfig> config;   // none: the kernel chooses
};

namespace detail {

template <class T, class C, class Index>
void rotary_embedding(OnDevice on, const TensorView<const T, 3> &x, const MatrixView<const C> &cosines,
                      const MatrixView<const C> &sines, const TensorView<T, 3> &y,
                      const std::optional<VectorView<const Index>> &positions, const RotaryOptions &options) {
  const Operands operands("rotary_embedding", on.where);
  const auto [tokens, heads, elements] = x.extents;
  const std::int64_t pairs = cosines.cols, first = options.first_position;
  const Placed of_cos = placed(cosines), of_sin = placed(sines);
  if (y.extents != x.extents)
    operands.refuse("y has the shape " + text(stack_of(y)) + ", x " + text(stack_of(x)));
  operands.same_shape("sin", extents(sines), "cos", extents(cosines));
  if (pairs > elements / 2)
    operands.refuse("cos has " + std::to_string(pairs) + " columns, a head of x has " +
                        std::to_string(elements / 2) + " pairs of elements",
                    "cos and sin have one column for each pair");
  const Stack out = by_heads(y);
  operands.output("y", stack_of(y));
  operands.apart("y", out, "cos", stack_of(of_cos));
  operands.apart("y", out, "sin", stack_of(of_sin));
  if (positions) {
    operands.same_size("positions", positions->size, "the tokens of x are", tokens);
    operands.apart("y", out, "positions", stack_of(placed(*positions)));
    if (first != 0)
      operands.refuse("options.first_position is " + std::to_string(first) + ", but positions are given");
  } else if (tokens > 0 && (first < 0 || first > cosines.rows || tokens > cosines.rows - first)) {
    operands.refuse("the positions of the " + std::to_string(tokens) + " tokens begin with " +
                    std::to_string(first) + ", cos and sin have " + std::to_string(cosines.rows) + " rows");
  }
  const bool in_place = are_same_elements(x, y);
  if (!in_place) {
    const std::optional<Placed> rows_of_x = as_rows(x), rows_of_y = as_rows(y);
    rows_of_x &&rows_of_y ? operands.apart("y", *rows_of_y, "x", *rows_of_x)
                          : operands.apart("y", out, "x", by_heads(x));
  }
  if (options.config) {
    operands.positive("block_t", options.config->block_t);
    operands.positive("block_h", options.config->block_h);
    operands.positive("block_p", options.config->block_p);
  }
  const Device &device = on.device;
  rotary_kernel<T, C, Index>.launch_with(
      options.config, on, tokens, heads, pairs, in_place ? std::int64_t{0} : elements,
      static_cast<int>(options.pairs), x.data, cosines, sines, positions.value_or(VectorView<const Index>()),
      y.data, cosines.rows, first, int{options.check_positions || device.kind() != "cuda"},
      options.inverse ? -1.0f : 1.0f, x.strides[0], x.strides[1], x.strides[2], y.strides[0], y.strides[1],
      y.strides[2], cosines.row_stride, cosines.col_stride, sines.row_stride, sines.col_stride);
}

template <class X, class C, class S, class Y> constexpr void check_rotary_elements() {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y>,
                "x and y must have the same element type, and y must not be const");
  static_assert(
      std::is_same_v<std::remove_const_t<C>, std::remove_const_t<S>> &&
          (std::is_same_v<std::remove_const_t<C>, Y> || std::is_same_v<std::remove_const_t<C>, f32>),
      "cos and sin have elements of f32, or of the type of x");
}

}   // namespace detail

// y may be x itself; then the elements behind the pairs are left alone.
template <class X, class C, class S, class Y>
void rotary_embedding(OnDevice on, const TensorView<X, 3> &x, const MatrixView<C> &cos,
                      const MatrixView<S> &sin, const TensorView<Y, 3> &y,
                      const RotaryOptions &options = {}) {
  detail::check_rotary_elements<X, C, S, Y>();
  detail::rotary_embedding<Y, std::remove_const_t<C>, i32>(on, x, cos, sin, y, std::nullopt, options);
}

// `positions`: a row of cos and sin for each token. One that is out of range gives NaN; on devices of the
// CPU, and with check_positions, it is an error.
template <class X, class C, class S, class Y, class I>
void rotary_embedding(OnDevice on, const TensorView<X, 3> &x, const MatrixView<C> &cos,
                      const MatrixView<S> &sin, const TensorView<Y, 3> &y, const VectorView<I> &positions,
                      const RotaryOptions &options = {}) {
  using Index = std::remove_const_t<I>;
  static_assert(std::is_same_v<Index, i32> || std::is_same_v<Index, i64>,
                "positions have elements of i32 or i64");
  detail::check_rotary_elements<X, C, S, Y>();
  detail::rotary_embedding<Y, std::remove_const_t<C>, Index>(on, x, cos, sin, y, positions, options);
}

}   // namespace tile::kernels
