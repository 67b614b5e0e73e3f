// SPDX-License-Identifier: MIT
// Matrices of floats as 8-bit numbers with scales of f32, x ~ q * scale. The scales are those that
// scaled_gemm reads, by rows or by blocks of 128:
//
//   quantize_rows(device, x, q, scales);                // scales [m, 1]
//   quantize_blocks(device, x, q, scales);              // [m, n / 128] or [m / 128, n / 128], rounded up
//   quantize_blocks(device, x.transposed(), q_t, t_scales);
//   quantize_blocks(device, x, q, scales, {}, {.transposed = {{q_t, t_scales}}});   // both, x is read once
//   quantize_by(device, x, q, scales);                  // the scales are given
//
// The arithmetic is f32 for all element types:
//
//   scale = max(absmax / largest, least_scale)        q = x * (1 / scale)
//
// `largest` is the largest number of q's type: 448, 57344 or 127. q is rounded to the nearest number, halves
// to even, and saturates.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/quantize_blocks.h>
#include <tile/quantized.h>
#include <tile/row_cost.h>
#include <tile/rows.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace tile::kernels {

using QuantizeRowsConfig = RowConfig;

// One program per row. Lanes behind the row load zeros.
template <class T, class Q>
void quantize_rows_program([[maybe_unused]] Dynamic<Int64> rows, Int64 cols, Ptr<const T> x, Ptr<Q> q,
                           Ptr<f32> scales, Float least_scale, Dynamic<Int> rounding, Int64 x_row,
                           Int64 x_col, Int64 q_row, Int64 q_col, Int64 scales_row,
                           const QuantizeRowsConfig &cfg) {
  const int block = cfg.block;
  auto row = cast<i64>(program_id(0));
  auto from = x + row * x_row;
  auto to = q + row * q_row;
  auto lane = cast<i64>(arange(0, block));
  auto take = [&](const Tensor<i64> &col) { return cast<f32>(load(from + col * x_col, col < cols)); };
  auto give = [&](const Tensor<f32> &v, const Float &inverse, const Tensor<i64> &col) {
    store(to + col * q_col, detail::quantized<Q>(v * inverse), col < cols);
  };
  auto scale_of = [&](const Float &absmax) {
    Float scale = detail::scale_of<Q>(absmax, least_scale, rounding);
    store(scales + row * scales_row, scale);
    return scale;
  };

  if (cfg.whole_row) {
    auto v = take(lane);
    give(v, 1.0f / scale_of(detail::absmax<Q>(v, 0)), lane);
    return;
  }

  auto largest = zeros<f32>({block});
  for (auto begin : range(0, cols, block))
    largest = maximum(largest, abs(take(begin + lane)), detail::nan_of_absmax<Q>);
  Float inverse = 1.0f / scale_of(detail::absmax<Q>(largest, 0));
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    give(take(col), inverse, col);
  }
}

template <class T, class Q>
inline const Kernel<&quantize_rows_program<T, Q>> quantize_rows_kernel{
    .name = "quantize_rows",
    .parameters = {"rows", "cols", "x", "q", "scales", "least_scale", "rounding", "x_row", "x_col", "q_row",
                   "q_col", "scales_row"},
    .grid = [](auto &, std::int64_t rows, auto...) { return Grid{rows}; },
    .configs = detail::row_configs({.rows = 1}),
    .key = [](std::int64_t rows, std::int64_t cols, auto...) { return detail::row_key(rows, cols); },
    .keep = [](auto &cfg, std::int64_t, std::int64_t cols,
               auto...) { return detail::keep_row_config(cfg, cols); },
    .work =
        [](std::int64_t rows, std::int64_t cols, auto...) {
          return Work{.bytes = double(rows) * ((sizeof(T) + 1.0) * double(cols) + sizeof(f32))};
        },
    .cost =
        [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, auto...) {
          return detail::row_seconds(cfg, machine, {rows, cols, sizeof(T), 2, 1 + 1.0 / sizeof(T)});
        },
    .tunes = Tunes::when_asked};

struct QuantizeRowsOptions {
  bool powers_of_two = false;                 // scales are rounded up to powers of two
  float least_scale = 0x1p-126f;              // of rows of zeros, too
  std::optional<QuantizeRowsConfig> config;   // none: the kernel chooses
};

// Scales have the shape [m, 1].
template <class X, class Q>
void quantize_rows(OnDevice on, const MatrixView<X> &x, const MatrixView<Q> &q, const MatrixView<f32> &scales,
                   const QuantizeRowsOptions &options = {}) {
  detail::check_quantized_elements<X, Q>();
  using detail::extents, detail::placed;
  const detail::Operands operands("quantize_rows", on.where);
  operands.same_shape("q", extents(q), "x", extents(x));
  operands.same_shape("scales", extents(scales), "those of the rows of x", {x.rows, 1});
  operands.output("q", placed(q));
  operands.output("scales", placed(scales));
  operands.all_apart({{"x", placed(x), false}, {"q", placed(q), true}, {"scales", placed(scales), true}});
  detail::check_least_scale(operands, options.least_scale);
  if (options.config)
    operands.config_of_single_rows(*options.config, x.cols);
  quantize_rows_kernel<std::remove_const_t<X>, Q>.launch_with(
      options.config, on, x.rows, x.cols, x, q, scales, options.least_scale,
      detail::rounding_of_scales(options.powers_of_two), x.row_stride, x.col_stride, q.row_stride,
      q.col_stride, scales.row_stride);
}

struct QuantizeByConfig {
  int block_m = 16, block_n = 128;   // rows and columns of a program
  Launch launch{};
};

// The scale of an element is in row i >> row_shift, and in the column of its block.
template <class T, class Q>
void quantize_by_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> x, Ptr<const f32> scales, Ptr<Q> q,
                         Dynamic<Int> row_shift, Int64 x_row, Int64 x_col, Int64 scales_row, Int64 scales_col,
                         Int64 q_row, Int64 q_col, const QuantizeByConfig &cfg) {
  const detail::QuantizeTile tile = detail::quantize_tile(cols, cfg.block_m, cfg.block_n);
  auto is_inside = tile.is_inside(rows, cols);
  auto v = cast<f32>(load(tile.in(x, x_row, x_col), is_inside));
  auto row = (tile.row >> cast<i64>(row_shift))(all, none), block = tile.block(none, all);
  auto scale = load(scales + row * scales_row + block * scales_col, tile.has_lines(rows, cols), 1.0f);
  store(tile.in(q, q_row, q_col), detail::quantized<Q>(v * (1.0f / scale)(all, all, none)), is_inside);
}

namespace detail {

inline std::vector<QuantizeByConfig> quantize_by_configs(std::size_t element_bytes) {
  std::vector<QuantizeByConfig> configs;
  for (const QuantizeBlocksConfig &cfg : quantize_blocks_configs(element_bytes))
    if (keep_quantize_blocks_config(cfg, most_extent, most_extent,
                                    number_of(ScaleOf::lines, ScaleOf::nothing)))
      configs.push_back({cfg.block_m, cfg.block_n, cfg.launch});
  return configs;
}

}   // namespace detail

template <class T, class Q>
inline const Kernel<&quantize_by_program<T, Q>> quantize_by_kernel{
    .name = "quantize_by",
    .parameters = {"rows", "cols", "x", "scales", "q", "row_shift", "x_row", "x_col", "scales_row",
                   "scales_col", "q_row", "q_col"},
    .grid =
        [](auto &cfg, std::int64_t rows, std::int64_t cols, auto...) {
          return Grid{cdiv(rows, std::int64_t{cfg.block_m}) * cdiv(cols, std::int64_t{cfg.block_n})};
        },
    .configs = detail::quantize_by_configs(sizeof(T)),
    .key = [](std::int64_t rows, std::int64_t cols,
              auto...) { return Key{detail::size_bucket(rows), detail::size_bucket(cols)}; },
    .keep =
        [](auto &cfg, std::int64_t rows, std::int64_t cols, auto...) {
          return detail::keep_quantize_blocks_config({cfg.block_m, cfg.block_n}, detail::size_bucket(rows),
                                                     detail::size_bucket(cols),
                                                     detail::number_of(ScaleOf::lines, ScaleOf::nothing));
        },
    .work = [](std::int64_t rows, std::int64_t cols,
               auto...) { return Work{.bytes = (sizeof(T) + 1.0) * double(rows) * double(cols)}; },
    .cost =
        [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, auto...) {
          const std::int64_t down = detail::size_bucket(rows), along = detail::size_bucket(cols);
          return detail::tile_seconds(machine, {{down, cfg.block_m}, {along, cfg.block_n}},
                                      (sizeof(T) + 1.0) * double(down) * double(along), cfg.launch);
        },
    .tunes = Tunes::when_asked};
struct QuantizeByOptions {
  std::optional<QuantizeByConfig> config;   // none: the kernel chooses
};

// The scales are given: one for all [1, 1], for each row [m, 1], or by blocks. A scale of 0, infinity or NaN
// gives what f32 arithmetic gives.
template <class X, class Q>
void quantize_by(OnDevice on, const MatrixView<X> &x, const MatrixView<Q> &q,
                 const MatrixView<const f32> &scales, const QuantizeByOptions &options = {}) {
  detail::check_quantized_elements<X, Q>();
  using detail::extents, detail::placed;
  const detail::Operands operands("quantize_by", on.where);
  operands.same_shape("q", extents(q), "x", extents(x));
  operands.output("q", placed(q));
  operands.all_apart({{"x", placed(x), false}, {"q", placed(q), true}, {"scales", placed(scales), false}});
  MatrixView<const f32> given = scales;
  if (given.cols == 1)
    given.col_stride = 0;
  if (given.rows == 1)
    given.row_stride = 0;
  const detail::Extents squares = detail::block_extents(extents(x)), shape = extents(scales);
  const bool by_rows = shape.rows == x.rows && (shape.cols == 1 || shape.cols == squares.cols),
             is_one = shape.rows == 1 && shape.cols == 1;
  if (!by_rows && !is_one && !detail::are_same(shape, squares))
    operands.refuse("scales is " + detail::sizes_text(shape) + ", which fits no scales of " +
                        detail::sizes_text(extents(x)) + " elements",
                    "accepted are 1 x 1, " + detail::sizes_text({x.rows, 1}) + ", " +
                        detail::sizes_text({x.rows, squares.cols}) + " and " + detail::sizes_text(squares));
  if (options.config) {
    operands.positive("block_m", options.config->block_m);
    if (options.config->block_n <= 0 || options.config->block_n % detail::quantized_block != 0)
      operands.refuse("options.config: block_n is " + std::to_string(options.config->block_n) +
                          ", but blocks have 128 columns",
                      "set block_n to a multiple of 128");
  }
  quantize_by_kernel<std::remove_const_t<X>, Q>.launch_with(
      options.config, on, x.rows, x.cols, x, given, q, by_rows ? 0 : 7, x.row_stride, x.col_stride,
      given.row_stride, given.col_stride, q.row_stride, q.col_stride);
}

}   // namespace tile::kernels
