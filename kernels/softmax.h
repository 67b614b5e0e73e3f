// SPDX-License-Identifier: MIT
// Softmax of each row of a matrix. A row is read once if it fits one tile, else twice. The arithmetic is f32
// for all element types.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>

#include <limits>
#include <optional>

namespace tile::kernels {

using SoftmaxConfig = RowConfig;

// One program per row. Before a maximum is subtracted, -inf is replaced by 0. Otherwise a block of -inf would
// make NaN (-inf - -inf) of a row that also has finite elements. A row of -inf alone still gives NaN, as the
// formula does: 0 / 0.
template <class T>
void softmax_program(Ptr<const T> x, Ptr<T> y, [[maybe_unused]] Dynamic<Int64> rows, Int64 cols, Int64 x_row,
                     Int64 x_col, Int64 y_row, Int64 y_col, const SoftmaxConfig &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const auto [block, whole_row, launch] = cfg;
  auto row = cast<i64>(program_id(0));
  auto from = x + row * x_row;
  auto to = y + row * y_row;
  auto lane = cast<i64>(arange(0, block));
  auto subtrahend = [&](const Float &largest) { return where(largest != lowest, largest, 0.0f); };

  if (whole_row) {
    auto v = cast<f32>(load(from + lane * x_col, lane < cols, lowest));
    auto e = exp(v - subtrahend(max(v, 0)));
    store(to + lane * y_col, cast<T>(e * (1.0f / sum(e, 0))), lane < cols);   // one division per row
    return;
  }

  // The sum is relative to the maximum so far. When the maximum grows, the sum is rescaled.
  Float largest = lowest, total = 0.0f;
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto v = cast<f32>(load(from + col * x_col, col < cols, lowest));
    Float grown = maximum(largest, max(v, 0));
    total = total * exp(largest - subtrahend(grown)) + sum(exp(v - subtrahend(grown)), 0);
    largest = grown;
  }
  Float scale = 1.0f / total;
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto v = cast<f32>(load(from + col * x_col, col < cols, lowest));
    store(to + col * y_col, cast<T>(exp(v - subtrahend(largest)) * scale), col < cols);
  }
}

template <class T>
inline const Kernel<&softmax_program<T>> softmax_kernel{
    .name = "softmax",
    .parameters = {"x", "y", "rows", "cols", "x_row", "x_col", "y_row", "y_col"},
    .grid = [](auto &, auto, auto, std::int64_t rows, auto...) { return Grid{rows}; },
    .configs = detail::row_configs(),
    .key = [](auto, auto, std::int64_t rows, std::int64_t cols,
              auto...) { return detail::row_key(rows, cols); },
    .keep = [](auto &cfg, auto, auto, std::int64_t, std::int64_t cols,
               auto...) { return detail::keep_row_config(cfg, cols); },
    .work = [](auto, auto, std::int64_t rows, std::int64_t cols,
               auto...) { return Work{.bytes = 2.0 * sizeof(T) * double(rows) * double(cols)}; },
    .cost = [](auto &cfg, const Machine &machine, auto, auto, std::int64_t rows, std::int64_t cols,
               auto...) { return detail::row_seconds(cfg, machine, {rows, cols, sizeof(T), 2}); },
    .tunes = Tunes::when_asked};

struct SoftmaxOptions {
  std::optional<SoftmaxConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;     // without a config: what decides the bits of a result
};

// Writes the softmax of each row of x to the same row of y.
template <class X, class Y>
void softmax(OnDevice on, const MatrixView<X> &x, const MatrixView<Y> &y,
             const SoftmaxOptions &options = {}) {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y>,
                "x and y must have the same element type, and y must not be const");
  const detail::Operands operands("softmax", on.where);
  operands.same_shape("y", detail::extents(y), "x", detail::extents(x));
  operands.output("y", detail::placed(y));
  operands.apart("y", detail::placed(y), "x", detail::placed(x), true);
  if (options.config)
    operands.row_config(options.config->block, options.config->whole_row, x.cols);
  softmax_kernel<Y>.launch_with(detail::row_config_of(options, x.cols), on, x, y, x.rows, x.cols,
                                x.row_stride, x.col_stride, y.row_stride, y.col_stride);
}

}   // namespace tile::kernels
