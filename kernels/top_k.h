// SPDX-License-Identifier: MIT
// The k largest elements of each row of a matrix in falling order, with their columns, as routers of mixtures
// of experts want them:
//
//   top_k(device, x, weights, experts, 8, {.softmax = TopKSoftmax::over_chosen});
//
// Of equal elements, that of the lowest column comes first. 0 and -0 are equal, and both are given as 0. NaN
// is larger than every number. The softmax is computed in f32 for all element types.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace tile::kernels {

// What is given of a chosen element: itself, its share of the exponentials of all that were chosen, or its
// share of those of the row.
enum class TopKSoftmax : std::uint8_t { none, over_chosen, over_row };

inline constexpr int most_of_top_k = 32;          // the largest k
inline constexpr int column_bits_of_top_k = 13;   // of the number of a column in a key
inline constexpr int most_columns_of_top_k = 1 << column_bits_of_top_k;

// Several rows share a program so that its warps have enough to do.
struct TopKConfig {
  int rows = 1;
  int block = 256;   // follows from the columns: the power of two that holds a row
  Launch launch{};
};

namespace detail {

// A 16-bit float has 13 zeros at the end of an f32, where the column fits. Keys of f32 are wider.
template <class T> using TopKKey = std::conditional_t<std::is_same_v<T, f32>, i64, i32>;
inline constexpr int top_k_low = most_columns_of_top_k - 1;

// Keys are integers, and no two of a row are equal: the order of the elements, then that of the columns. None
// is the largest or the lowest integer.
template <class T> Tensor<TopKKey<T>> top_k_keys(const Tensor<f32> &v, const Tensor<i32> &col) {
  constexpr i32 nan = 0x7fc00000;
  auto bits = bitcast<i32>(where(v == 0.0f, 0.0f, v));
  auto ordered = where(isnan(v), nan, bits ^ ((bits >> 31) & std::numeric_limits<i32>::max()));
  if constexpr (std::is_same_v<T, f32>)
    return (cast<i64>(ordered) << column_bits_of_top_k) | cast<i64>(top_k_low - col);
  else
    return (ordered & ~top_k_low) | (top_k_low - col);
}
template <class T> Tensor<f32> top_k_element(const Tensor<TopKKey<T>> &key) {
  constexpr bool is_wide = std::is_same_v<T, f32>;
  auto ordered = cast<i32>(is_wide ? key >> column_bits_of_top_k : key);
  auto bits = ordered ^ ((ordered >> 31) & std::numeric_limits<i32>::max());
  return bitcast<f32>(is_wide ? bits : bits & ~top_k_low);
}

}   // namespace detail

// One program for some rows. Each round takes the largest key below that of the round before. The keys of the
// rounds are collected in a tile of as many columns as a warp has lanes, so no warp needs those of others.
template <class T, class V, TopKSoftmax Softmax>
void top_k_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> x, Ptr<V> values, Ptr<i32> indices,
                   Int64 x_row, Int64 x_col, Int64 v_row, Int64 v_col, Int64 i_row, Int64 i_col,
                   Dynamic<Int> k, const TopKConfig &cfg) {
  using Key = detail::TopKKey<T>;
  constexpr Key lowest = std::numeric_limits<Key>::min();
  constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  const int R = cfg.rows;
  auto row = cast<i64>(program_id(0)) * R + cast<i64>(arange(0, R));
  auto col = arange(0, cfg.block), place = arange(0, most_of_top_k);
  auto is_row = row(all, none) < rows;
  auto inside = is_row & (cast<i64>(col)(none, all) < cols);
  auto at = row(all, none) * x_row + cast<i64>(col)(none, all) * x_col;
  auto v = cast<f32>(load(x + at, inside));
  auto keys = where(inside, detail::top_k_keys<T>(v, col(none, all)), lowest);

  auto best = full<Key>({R}, std::numeric_limits<Key>::max());
  auto chosen = full<Key>({R, most_of_top_k}, lowest);
  for (auto round : range(k)) {
    best = max(where(keys < best(all, none), keys, lowest), 1);
    chosen = where(place(none, all) == round, best(all, none), chosen);
  }

  auto is_chosen = is_row & (place(none, all) < k);
  auto value = detail::top_k_element<T>(chosen);
  if (Softmax != TopKSoftmax::none) {   // the elements of the row come from the keys, to save registers
    auto taken = where(is_chosen, value, minus_infinity);
    auto members = Softmax == TopKSoftmax::over_chosen
                       ? taken
                       : where(inside, detail::top_k_element<T>(keys), minus_infinity);
    auto largest = max(taken, 1);
    auto total = sum(exp(members - largest(all, none)), 1);
    value = exp(value - largest(all, none)) / total(all, none);
  }
  auto wide = cast<i64>(place)(none, all);
  store(values + (row(all, none) * v_row + wide * v_col), cast<V>(value), is_chosen);
  store(indices + (row(all, none) * i_row + wide * i_col),
        detail::top_k_low - (cast<i32>(chosen) & detail::top_k_low), is_chosen);
}

namespace detail {

inline std::vector<TopKConfig> top_k_configs() {
  return {{.rows = 8, .launch = {.num_warps = 1}}, {.rows = 4, .launch = {.num_warps = 1}},
          {.rows = 2, .launch = {.num_warps = 1}}, {.rows = 4, .launch = {.num_warps = 4}},
          {.rows = 1, .launch = {.num_warps = 1}}, {.rows = 8, .launch = {.num_warps = 4}},
          {.rows = 1, .launch = {.num_warps = 2}}, {.rows = 1, .launch = {.num_warps = 4}},
          {.rows = 1, .launch = {.num_warps = 8}}, {.rows = 1, .launch = {.num_warps = 16}}};
}

inline int top_k_block(std::int64_t cols) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(cols, 16))));
}

// Threads have enough elements to be busy, and few enough for registers.
inline bool keep_top_k_config(const TopKConfig &cfg) {
  const int elements = cfg.rows * cfg.block, threads = 32 * cfg.launch.num_warps;
  return elements >= 2 * threads && elements <= 32 * threads;
}

// The one config of rows of so many columns, where all sums are to be alike.
inline TopKConfig top_k_config(std::int64_t cols) {
  for (TopKConfig cfg : top_k_configs()) {
    cfg.block = top_k_block(cols);
    if (keep_top_k_config(cfg))
      return cfg;
  }
  return {};
}

// A round compares the elements that a thread has, and then threads with each other; through shared memory if
// several warps share a row. Programs wait for shuffles and barriers, and those that run at once share the
// instructions that a multiprocessor begins.
inline double top_k_seconds(const TopKConfig &cfg, const Machine &machine, std::int64_t rows,
                            std::int64_t cols, std::int64_t k, int bytes) {
  constexpr double of_launch = 1.25e-6, share = 0.86, begun_at_once = 2, most_warps = 48, most_programs = 32;
  const double memory =
      machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second * share : 4.1e12;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz : 1.7e9;
  const double multiprocessors = machine.multiprocessors > 0 ? machine.multiprocessors : 132;
  const double row_count = static_cast<double>(size_bucket(rows)), rounds = static_cast<double>(k);
  const double moved = row_count * (static_cast<double>(cols) * bytes + rounds * 8);
  const double warps = cfg.launch.num_warps, programs = std::ceil(row_count / cfg.rows);
  const double elements = static_cast<double>(cfg.rows) * cfg.block / (32 * warps);
  const double lanes = std::clamp(static_cast<double>(cfg.block) * bytes / 16, 1.0, 32.0);
  const double steps = std::log2(lanes), of_key = bytes == 4 ? 2 : 1;
  const double reductions = std::max(1.0, cfg.rows * lanes / (32 * warps));
  const double shared = cfg.rows < warps ? 80 + 4 * warps : 0;
  const double of_round = of_key * (1.5 * elements + 3 * steps * reductions);
  const double begun = programs * warps * (rounds * of_round + 20 * elements + 60) / begun_at_once;
  const double waits = rounds * (of_round + 25 * of_key * steps + shared) + 1000;
  const double waves = programs / (multiprocessors * std::min(most_programs, most_warps / warps));
  const double computing = std::max(begun / multiprocessors, waits * std::max(1.0, waves)) / clock;
  return of_launch + std::max(moved / memory, computing);
}

}   // namespace detail

template <class T, class V, TopKSoftmax Softmax>
inline const Kernel<&top_k_program<T, V, Softmax>> top_k_kernel{
    .name = "top_k",
    .parameters = {"rows", "cols", "x", "values", "indices", "x_row", "x_col", "v_row", "v_col", "i_row",
                   "i_col", "k"},
    .grid = [](auto &cfg, std::int64_t rows, auto...) { return Grid{cdiv(rows, std::int64_t{cfg.rows})}; },
    .configs = detail::top_k_configs(),
    .complete =
        [](auto cfg, std::int64_t, std::int64_t cols, auto...) {
          cfg.block = detail::top_k_block(cols);
          return cfg;
        },
    .key = [](std::int64_t rows, std::int64_t cols, auto, auto, auto, auto, auto, auto, auto, auto, auto,
              int k) { return Key{detail::size_bucket(rows), cols, k}; },
    .keep = [](auto &cfg, auto...) { return detail::keep_top_k_config(cfg); },
    .work =
        [](std::int64_t rows, std::int64_t cols, auto, auto, auto, auto, auto, auto, auto, auto, auto,
           int k) {
          return Work{.bytes =
                          double(rows) * (sizeof(T) * double(cols) + (sizeof(V) + sizeof(i32)) * double(k))};
        },
    .cost = [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, auto, auto, auto,
               auto, auto, auto, auto, auto, auto,
               int k) { return detail::top_k_seconds(cfg, machine, rows, cols, k, sizeof(T)); },
    .tunes = Tunes::when_asked};

struct TopKOptions {
  TopKSoftmax softmax = TopKSoftmax::none;
  std::optional<TopKConfig> config;    // none: the kernel chooses
  Numerics numerics = Numerics::any;   // without a config: what decides the bits of a result
};

// Writes the k largest elements of each row of x, or their softmax, to the same row of `values`, and their
// columns to `indices`. Both have k columns. `values` has the elements of x or f32. k is at most 32, and x
// has from k to 8192 columns.
template <class X, class V>
void top_k(OnDevice on, const MatrixView<X> &x, const MatrixView<V> &values, const MatrixView<i32> &indices,
           std::int64_t k, const TopKOptions &options = {}) {
  using T = std::remove_const_t<X>;
  static_assert(std::is_same_v<V, T> || std::is_same_v<V, f32>,
                "values must have the element type of x or f32, and must not be const");
  const detail::Operands operands("top_k", on.where);
  const auto in = detail::placed(x), out = detail::placed(values), columns = detail::placed(indices);
  if (x.cols > most_columns_of_top_k)
    operands.refuse("x has " + std::to_string(x.cols) + " columns; it may have " +
                    std::to_string(most_columns_of_top_k));
  if (k < 0 || k > most_of_top_k || k > x.cols)
    operands.refuse("k is " + std::to_string(k) + "; it must be from 0 to " +
                    (x.cols < most_of_top_k ? std::to_string(x.cols) + ", the columns of x"
                                            : std::to_string(most_of_top_k)));
  operands.same_shape("values", detail::extents(values), "x and k ask for", {x.rows, k});
  operands.same_shape("indices", detail::extents(indices), "x and k ask for", {x.rows, k});
  operands.output("values", out);
  operands.output("indices", columns);
  operands.all_apart({{"x", in, false}, {"values", out, true}, {"indices", columns, true}});
  if (options.config)
    operands.positive("rows", options.config->rows);
  auto config = options.config;
  if (!config && options.numerics != Numerics::any)
    config = detail::top_k_config(x.cols);
  auto run = [&](const auto &kernel) {
    kernel.launch_with(config, on, x.rows, x.cols, x, values, indices, x.row_stride, x.col_stride,
                       values.row_stride, values.col_stride, indices.row_stride, indices.col_stride,
                       static_cast<int>(k));
  };
  switch (options.softmax) {
  case TopKSoftmax::none:
    return run(top_k_kernel<T, V, TopKSoftmax::none>);
  case TopKSoftmax::over_chosen:
    return run(top_k_kernel<T, V, TopKSoftmax::over_chosen>);
  case TopKSoftmax::over_row:
    return run(top_k_kernel<T, V, TopKSoftmax::over_row>);
  }
}

}   // namespace tile::kernels
