// SPDX-License-Identifier: MIT
// Quantising with scales by blocks, the transposed matrix too: see quantize.h.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/quantized.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile::kernels {

// What one scale belongs to.
enum class ScaleOf : std::uint8_t {
  nothing,   // there is no such result
  lines,     // 128 elements of a row
  squares    // 128 rows of 128 elements
};

// What the arguments of a launch fix in its code. The launch fills it in. `multiple`: what divides the number
// of rows of x, which are columns of the transposed result, at most 16.
struct QuantizeForm {
  ScaleOf straight = ScaleOf::lines, transposed = ScaleOf::nothing;
  int multiple = 1;
};

struct QuantizeBlocksConfig {
  int block_m = 16, block_n = 128;   // rows and columns of a program
  QuantizeForm form{};
  Launch launch{};
};

namespace detail {

// A tile of 128 rows, of which the scales go across rows: [parts, 2, 8 rows, 8, 32 columns]. A thread gets 8
// rows of 8 columns, a warp 64 rows of 32 columns. So both results are stored 8 numbers at a time and by
// whole sectors, without a detour through shared memory.
struct CrossedTile {
  static constexpr int rows = 8, lanes = 8, halves = 2, cols = 32;
  Int64 first_row, first_col;
  int parts;

  // From the first row and column on, as tiles of so many axes.
  Tensor<i64> row(int rank, int of_halves, int of_rows, int of_lanes) const {
    return numbers(halves, rank, of_halves) * (rows * lanes) + numbers(lanes, rank, of_lanes) * rows +
           numbers(rows, rank, of_rows);
  }
  Tensor<i64> col(int rank, int of_parts, int of_cols) const {
    return numbers(parts, rank, of_parts) * cols + numbers(cols, rank, of_cols);
  }
  // 0, 1, ... along an axis of a tile.
  static Tensor<i64> numbers(int count, int rank, int axis) {
    return with_axes(cast<i64>(arange(0, count)), rank, axis, 0);
  }
  static Tensor<i64> with_axes(const Tensor<i64> &x, int rank, int axis, int next) {
    if (next == rank)
      return x;
    return with_axes(next == axis ? x : expand_dims(x, next), rank, axis, next + 1);
  }
};

}   // namespace detail

// One program for block_m rows and block_n columns. With squares or a transposed result, block_m is 128: then
// `down` counts their scales along the rows of x, too.
template <class T, class Q>
void quantize_blocks_program(Dynamic<Int64> some_rows, Int64 cols, [[maybe_unused]] Dynamic<Int> results,
                             Ptr<const T> x, Ptr<Q> q, Ptr<f32> scales, Ptr<Q> q_t, Ptr<f32> t_scales,
                             Float least_scale, Dynamic<Int> rounding, Int64 x_row, Int64 x_col, Int64 q_row,
                             Int64 q_col, Int64 scales_row, Int64 scales_col, Int64 qt_row, Int64 qt_col,
                             Int64 t_scales_row, Int64 t_scales_col, const QuantizeBlocksConfig &cfg) {
  const auto [straight, transposed, multiple] = cfg.form;
  const Int64 rows = assume_divisible(some_rows, multiple);
  auto scale_of = [&](const Tensor<f32> &absmax) {
    return detail::scale_of<Q>(absmax, least_scale, rounding);
  };
  if (straight == ScaleOf::lines && transposed == ScaleOf::nothing) {
    const detail::QuantizeTile tile = detail::quantize_tile(cols, cfg.block_m, cfg.block_n);
    auto is_inside = tile.is_inside(rows, cols);
    auto v = cast<f32>(load(tile.in(x, x_row, x_col), is_inside));
    auto scale = scale_of(detail::absmax<Q>(v, 2));
    auto row = tile.row(all, none), block = tile.block(none, all);
    store(scales + row * scales_row + block * scales_col, scale, tile.has_lines(rows, cols));
    store(tile.in(q, q_row, q_col), detail::quantized<Q>(v * (1.0f / scale)(all, all, none)), is_inside);
    return;
  }

  Int program = program_id(0), tiles_of_row = cast<i32>(cdiv(cols, std::int64_t{cfg.block_n}));
  auto down = cast<i64>(program / tiles_of_row), along = cast<i64>(program % tiles_of_row);
  const detail::CrossedTile tile{down * detail::quantized_block, along * cfg.block_n,
                                 cfg.block_n / detail::CrossedTile::cols};
  auto rows_left = rows - tile.first_row, cols_left = cols - tile.first_col;
  auto row = tile.row(5, 1, 2, 3), col = tile.col(5, 0, 4);
  auto is_inside = (row < rows_left) & (col < cols_left);
  auto at = [&](const auto &matrix, const Int64 &row_stride, const Int64 &col_stride) {
    return matrix + (tile.first_row * row_stride + tile.first_col * col_stride) + row * row_stride +
           col * col_stride;
  };
  auto v = cast<f32>(load(at(x, x_row, x_col), is_inside));
  auto give = [&](const Tensor<f32> &inverse) {
    store(at(q, q_row, q_col), detail::quantized<Q>(v * inverse), is_inside);
  };
  auto give_transposed = [&](const Tensor<f32> &inverse) {
    auto to = q_t + (tile.first_row * qt_col + tile.first_col * qt_row);
    auto t_row = tile.row(5, 1, 4, 3), t_col = tile.col(5, 0, 2);
    store(to + t_col * qt_row + t_row * qt_col, permute(detail::quantized<Q>(v * inverse), {0, 1, 4, 3, 2}),
          (t_row < rows_left) & (t_col < cols_left));
  };

  if (straight == ScaleOf::lines) {
    auto scale = scale_of(detail::absmax<Q>(detail::absmax<Q>(v, 4), 0));   // [2, 8 rows, 8]
    auto line = tile.row(3, 0, 1, 2);
    store(scales + (tile.first_row * scales_row + along * scales_col) + line * scales_row, scale,
          line < rows_left);
    give((1.0f / scale)(none, all, all, all, none));
  }
  if (transposed == ScaleOf::lines) {
    auto of_warps = detail::absmax<Q>(detail::absmax<Q>(v, 2), 2);   // [parts, 2, 32 columns]
    auto scale = scale_of(detail::absmax<Q>(of_warps, 1));
    auto line = tile.col(2, 0, 1);
    store(t_scales + (tile.first_col * t_scales_row + down * t_scales_col) + line * t_scales_row, scale,
          line < cols_left);
    give_transposed((1.0f / scale)(all, none, none, none, all));
  }
  if (straight == ScaleOf::squares || transposed == ScaleOf::squares) {
    auto of_warps = detail::absmax<Q>(detail::absmax<Q>(detail::absmax<Q>(v, 4), 2), 2);   // [parts, 2]
    Float scale = scale_of(detail::absmax<Q>(ravel(of_warps), 0));
    Float inverse = 1.0f / scale;
    if (straight == ScaleOf::squares) {
      store(scales + down * scales_row + along * scales_col, scale);
      give(inverse);
    }
    if (transposed == ScaleOf::squares) {
      store(t_scales + along * t_scales_row + down * t_scales_col, scale);
      give_transposed(inverse);
    }
  }
}

namespace detail {

// Both as one parameter of the launch.
inline int number_of(ScaleOf straight, ScaleOf transposed) {
  return static_cast<int>(straight) * 3 + static_cast<int>(transposed);
}
inline ScaleOf straight_of(int results) { return static_cast<ScaleOf>(results / 3); }
inline ScaleOf transposed_of(int results) { return static_cast<ScaleOf>(results % 3); }

// Whether scales depend on 128 rows of a tile, and on 128 of its columns.
inline bool goes_across_rows(int results) {
  return straight_of(results) == ScaleOf::squares || transposed_of(results) != ScaleOf::nothing;
}
inline bool goes_along_rows(int results) {
  return straight_of(results) != ScaleOf::nothing || transposed_of(results) == ScaleOf::squares;
}

// Why tiles do not suit the results, if so. Of a tile that goes across rows, the columns have one block.
struct Unsuited {
  const char *field = nullptr, *remedy = nullptr;
};
inline Unsuited why_unsuited(const QuantizeBlocksConfig &cfg, int results) {
  const bool is_crossed = goes_across_rows(results);
  if (is_crossed && cfg.block_m != quantized_block)
    return {"block_m", "set block_m to 128"};
  if (is_crossed && goes_along_rows(results) && cfg.block_n != quantized_block)
    return {"block_n", "set block_n to 128"};
  if (is_crossed && cfg.block_n % CrossedTile::cols != 0)
    return {"block_n", "set block_n to a multiple of 32"};
  if (!is_crossed && cfg.block_n % quantized_block != 0)
    return {"block_n", "set block_n to a multiple of 128"};
  return {};
}

// Of tiles that go across rows, threads have 64 elements. Two programs of 256 threads fit a multiprocessor if
// they have at most 128 registers. That is enough for elements of 16 bits.
inline std::vector<QuantizeBlocksConfig> quantize_blocks_configs(std::size_t element_bytes) {
  auto config = [](int block_m, int block_n, int num_warps, int max_registers = 0) {
    return QuantizeBlocksConfig{.block_m = block_m,
                                .block_n = block_n,
                                .launch = {.num_warps = num_warps, .max_registers = max_registers}};
  };
  return {config(32, 128, 8),
          config(16, 128, 4),
          config(32, 128, 4),
          config(16, 256, 8),
          config(8, 256, 4),
          config(4, 512, 4),
          config(4, 1024, 4),
          config(4, 128, 1),
          config(128, 64, 4),
          config(128, 32, 2),
          config(128, 128, 8, element_bytes == 2 ? 128 : 0)};
}

inline bool keep_quantize_blocks_config(const QuantizeBlocksConfig &cfg, std::int64_t rows, std::int64_t cols,
                                        int results) {
  if (why_unsuited(cfg, results).field)
    return false;
  if (goes_across_rows(results))
    return cfg.block_n == quantized_block || cfg.block_n <= 32 || cfg.block_n < 2 * cols;
  return cfg.block_m <= 32 && (cfg.block_m <= 4 || cfg.block_m < 2 * rows) &&
         (cfg.block_n == quantized_block || cfg.block_n < 2 * cols);
}

inline double quantized_bytes(std::int64_t rows, std::int64_t cols, int results, std::size_t element_bytes) {
  const double of_scales = sizeof(f32) / double{quantized_block};
  auto of_result = [&](ScaleOf form) {
    return form == ScaleOf::nothing ? 0
                                    : 1 + (form == ScaleOf::lines ? of_scales : of_scales / quantized_block);
  };
  return double(rows) * double(cols) *
         (double(element_bytes) + of_result(straight_of(results)) + of_result(transposed_of(results)));
}

}   // namespace detail

template <class T, class Q>
inline const Kernel<&quantize_blocks_program<T, Q>> quantize_blocks_kernel{
    .name = "quantize_blocks",
    .parameters = {"rows",         "cols",        "results",     "x",          "q",      "scales",
                   "q_t",          "t_scales",    "least_scale", "rounding",   "x_row",  "x_col",
                   "q_row",        "q_col",       "scales_row",  "scales_col", "qt_row", "qt_col",
                   "t_scales_row", "t_scales_col"},
    .grid =
        [](auto &cfg, std::int64_t rows, std::int64_t cols, auto...) {
          return Grid{cdiv(rows, std::int64_t{cfg.block_m}) * cdiv(cols, std::int64_t{cfg.block_n})};
        },
    .configs = detail::quantize_blocks_configs(sizeof(T)),
    .complete =
        [](auto cfg, std::int64_t rows, std::int64_t, int results, auto...) {
          const ScaleOf transposed = detail::transposed_of(results);
          cfg.form = {detail::straight_of(results), transposed,
                      transposed == ScaleOf::nothing ? 1
                                                     : static_cast<int>(std::gcd(rows, std::int64_t{16}))};
          return cfg;
        },
    .key = [](std::int64_t rows, std::int64_t cols, int results,
              auto...) { return Key{detail::size_bucket(rows), detail::size_bucket(cols), results}; },
    .keep =
        [](auto &cfg, std::int64_t rows, std::int64_t cols, int results, auto...) {
          return detail::keep_quantize_blocks_config(cfg, detail::size_bucket(rows),
                                                     detail::size_bucket(cols), results);
        },
    .work = [](std::int64_t rows, std::int64_t cols, int results,
               auto...) { return Work{.bytes = detail::quantized_bytes(rows, cols, results, sizeof(T))}; },
    .cost =
        [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, int results, auto...) {
          const std::int64_t down = detail::size_bucket(rows), along = detail::size_bucket(cols);
          return detail::tile_seconds(machine, {{down, cfg.block_m}, {along, cfg.block_n}},
                                      detail::quantized_bytes(down, along, results, sizeof(T)), cfg.launch);
        },
    .tunes = Tunes::when_asked};

struct QuantizeBlocksOptions {
  bool powers_of_two = false;                   // scales are rounded up to powers of two
  float least_scale = 0x1p-126f;                // of blocks of zeros, too
  std::optional<QuantizeBlocksConfig> config;   // none: the kernel chooses
};

template <class Q> struct Quantized {
  MatrixView<Q> q;
  MatrixView<f32> scales;
};
template <class Q> struct QuantizeBlocksExtras {
  std::optional<Quantized<Q>> transposed;   // also written: x transposed, with scales of its own blocks
};

namespace detail {

// What the scales are of, by their shape.
inline ScaleOf form_of_scales(const Operands &operands, const std::string &name, Extents q, Extents scales) {
  const Extents squares = block_extents(q), lines{q.rows, squares.cols};
  if (are_same(scales, lines))
    return ScaleOf::lines;
  if (are_same(scales, squares))
    return ScaleOf::squares;
  operands.refuse(name + " is " + sizes_text(scales) + ", which fits no blocks of " + sizes_text(q) +
                      " elements",
                  "blocks of 1 x 128 have " + sizes_text(lines) + " scales, blocks of 128 x 128 have " +
                      sizes_text(squares));
}

inline void quantize_blocks_config(const Operands &operands, const QuantizeBlocksConfig &config,
                                   int results) {
  operands.positive("block_m", config.block_m);
  operands.positive("block_n", config.block_n);
  if (const auto [field, remedy] = why_unsuited(config, results); field)
    operands.refuse(std::string("options.config: ") + field + " does not suit blocks of these results",
                    remedy);
}

// Tiles go along the rows of x, so x that lies by columns is taken for its transpose.
inline bool lies_by_columns(const Placed &x) {
  return x.shape.rows > 1 && x.shape.cols > 1 && std::abs(x.row_stride) < std::abs(x.col_stride);
}

}   // namespace detail

// Scales have the shape [m, n / 128] or [m / 128, n / 128], rounded up. The last blocks may be smaller.
template <class X, class Q>
void quantize_blocks(OnDevice on, const MatrixView<X> &x, const MatrixView<Q> &q,
                     const MatrixView<f32> &scales, const QuantizeBlocksOptions &options = {},
                     const QuantizeBlocksExtras<Q> &extras = {}) {
  detail::check_quantized_elements<X, Q>();
  using detail::extents, detail::placed;
  const detail::Operands operands("quantize_blocks", on.where);
  operands.same_shape("q", extents(q), "x", extents(x));
  operands.output("q", placed(q));
  operands.output("scales", placed(scales));
  std::vector<detail::NamedOperand> all{
      {"x", placed(x), false}, {"q", placed(q), true}, {"scales", placed(scales), true}};
  ScaleOf straight = detail::form_of_scales(operands, "scales", extents(q), extents(scales)),
          transposed = ScaleOf::nothing;
  Quantized<Q> of_x{q, scales}, of_transposed;
  if (extras.transposed) {
    of_transposed = *extras.transposed;
    const auto &[q_t, t_scales] = of_transposed;
    operands.same_shape("transposed.q", extents(q_t), "x transposed", extents(x.transposed()));
    operands.output("transposed.q", placed(q_t));
    operands.output("transposed.scales", placed(t_scales));
    all.push_back({"transposed.q", placed(q_t), true});
    all.push_back({"transposed.scales", placed(t_scales), true});
    transposed = detail::form_of_scales(operands, "transposed.scales", extents(q_t), extents(t_scales));
  }
  operands.all_apart(std::move(all));
  detail::check_least_scale(operands, options.least_scale);
  MatrixView<X> from = x;
  if (detail::lies_by_columns(placed(x))) {
    from = x.transposed();
    std::swap(of_x, of_transposed);
    std::swap(straight, transposed);
  }
  const int results = detail::number_of(straight, transposed);
  if (options.config)
    detail::quantize_blocks_config(operands, *options.config, results);
  quantize_blocks_kernel<std::remove_const_t<X>, Q>.launch_with(
      options.config, on, from.rows, from.cols, results, from, of_x.q, of_x.scales, of_transposed.q,
      of_transposed.scales, options.least_scale, detail::rounding_of_scales(options.powers_of_two),
      from.row_stride, from.col_stride, of_x.q.row_stride, of_x.q.col_stride, of_x.scales.row_stride,
      of_x.scales.col_stride, of_transposed.q.row_stride, of_transposed.q.col_stride,
      of_transposed.scales.row_stride, of_transposed.scales.col_stride);
}

}   // namespace tile::kernels
