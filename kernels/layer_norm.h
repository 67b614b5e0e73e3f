// SPDX-License-Identifier: MIT
// Layer normalisation of each row of a matrix, forward:
//
//   y = (x - mean) / sqrt(variance + epsilon) * weight + bias
//
// Mean and variance are f32 for all element types. The variance is computed from the differences from the
// mean, because the shorter formula E[x^2] - mean^2 loses every digit when the mean is large.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>

#include <optional>

namespace tile::kernels {

using LayerNormConfig = RowConfig;

// One program per row, or for some short rows. A backward pass needs `mean` and `scale`, which is 1 /
// sqrt(variance + epsilon). The kernel writes them only with Statistics.
template <class T, bool Statistics>
void layer_norm_program(Ptr<const T> x, Ptr<const T> weight, Ptr<const T> bias, Ptr<T> y, Ptr<f32> mean,
                        Ptr<f32> scale, Dynamic<Int64> rows, Int64 cols, Int64 x_row, Int64 x_col,
                        Int64 y_row, Int64 y_col, Float epsilon, const LayerNormConfig &cfg) {
  const int block = cfg.block;
  const detail::ProgramRows at(cfg, rows, cols);
  auto from = x + at.number() * x_row;
  auto to = y + at.number() * y_row;
  auto lane = at.lane();
  Float count = cast<f32>(cols);

  auto normalised = [&](const Tensor<f32> &difference, const Tensor<i64> &col, const Float &inverse) {
    auto w = cast<f32>(at.load_shared(weight + col, col < cols));
    auto b = cast<f32>(at.load_shared(bias + col, col < cols));
    store(to + col * y_col, cast<T>(difference * inverse * w + b), at.inside(col));
  };
  auto keep_statistics = [&](const Float &average, const Float &inverse) {
    if (Statistics) {
      at.store(mean, average);
      at.store(scale, inverse);
    }
  };

  if (cfg.whole_row) {
    auto v = cast<f32>(load(from + lane * x_col, at.inside(lane)));
    Float average = at.sum(v) / count;
    auto difference = where(lane < cols, v - average, 0.0f);
    Float inverse = 1.0f / sqrt(at.sum(difference * difference) / count + epsilon);
    keep_statistics(average, inverse);
    normalised(difference, lane, inverse);
    return;
  }

  auto partial = zeros<f32>({block});
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    partial += cast<f32>(load(from + col * x_col, col < cols));
  }
  Float average = sum(partial, 0) / count;

  partial = zeros<f32>({block});
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto difference = where(col < cols, cast<f32>(load(from + col * x_col, col < cols)) - average, 0.0f);
    partial += difference * difference;
  }
  Float inverse = 1.0f / sqrt(sum(partial, 0) / count + epsilon);

  keep_statistics(average, inverse);
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    normalised(cast<f32>(load(from + col * x_col, col < cols)) - average, col, inverse);
  }
}

template <class T, bool Statistics = false>
inline const Kernel<&layer_norm_program<T, Statistics>> layer_norm_kernel{
    .name = "layer_norm",
    .parameters = {"x", "weight", "bias", "y", "mean", "scale", "rows", "cols", "x_row", "x_col", "y_row",
                   "y_col", "epsilon"},
    .grid = [](auto &cfg, auto, auto, auto, auto, auto, auto, std::int64_t rows,
               auto...) { return detail::row_grid(cfg, rows); },
    .configs =
        detail::row_configs({.ctas = 4}),   // with more, weight and bias leave no registers for the next row
    .key = [](auto, auto, auto, auto, auto, auto, std::int64_t rows, std::int64_t cols,
              auto...) { return detail::row_key(rows, cols); },
    .keep = [](auto &cfg, auto, auto, auto, auto, auto, auto, std::int64_t, std::int64_t cols,
               auto...) { return detail::keep_row_config(cfg, cols); },
    .work = [](auto, auto, auto, auto, auto, auto, std::int64_t rows, std::int64_t cols,
               auto...) { return Work{.bytes = 2.0 * sizeof(T) * double(rows) * double(cols)}; },
    .cost = [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto, auto, std::int64_t rows,
               std::int64_t cols,
               auto...) { return detail::row_seconds(cfg, machine, {rows, cols, sizeof(T), 3}); },
    .tunes = Tunes::when_asked};

struct LayerNormOptions {
  float epsilon = 1e-5f;
  std::optional<LayerNormConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;       // without a config: what decides the bits of a result
};

// Further results of layer_norm(), one element per row.
struct LayerNormStatistics {
  VectorView<f32> mean, scale;   // scale: 1 / sqrt(variance + epsilon)
};

template <class X, class W, class B, class Y>
void layer_norm(OnDevice on, const MatrixView<X> &x, const VectorView<W> &weight, const VectorView<B> &bias,
                const MatrixView<Y> &y, const LayerNormOptions &options = {},
                const std::optional<LayerNormStatistics> &statistics = {}) {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y> && std::is_same_v<std::remove_const_t<W>, Y> &&
                    std::is_same_v<std::remove_const_t<B>, Y>,
                "x, weight, bias and y must have the same element type, and y must not be const");
  const detail::Operands operands("layer_norm", on.where);
  operands.same_shape("y", detail::extents(y), "x", detail::extents(x));
  operands.same_size("weight", weight.size, "a row of x", x.cols);
  operands.same_size("bias", bias.size, "a row of x", x.cols);
  if (statistics) {
    operands.same_size("mean", statistics->mean.size, "a column of x", x.rows);
    operands.same_size("scale", statistics->scale.size, "a column of x", x.rows);
  }
  operands.output("y", detail::placed(y));
  operands.apart("y", detail::placed(y), "x", detail::placed(x), true);
  auto apart_from_all = [&](std::string_view name, const detail::Placed &out) {
    operands.apart(name, out, "weight", detail::placed(weight));
    operands.apart(name, out, "bias", detail::placed(bias));
  };
  apart_from_all("y", detail::placed(y));
  if (statistics) {
    const auto mean = detail::placed(statistics->mean), scale = detail::placed(statistics->scale);
    for (const auto &[name, out] : {std::pair{"mean", mean}, std::pair{"scale", scale}}) {
      operands.apart(name, out, "x", detail::placed(x));
      operands.apart(name, out, "y", detail::placed(y));
      apart_from_all(name, out);
    }
    operands.apart("mean", mean, "scale", scale);
  }
  if (options.config)
    operands.row_config(*options.config, x.cols);
  auto run = [&](const auto &kernel) {
    const VectorView<f32> mean = statistics ? statistics->mean : VectorView<f32>(),
                          scale = statistics ? statistics->scale : VectorView<f32>();
    kernel.launch_with(detail::row_config_of(options, x.cols), on, x, weight, bias, y, mean, scale, x.rows,
                       x.cols, x.row_stride, x.col_stride, y.row_stride, y.col_stride, options.epsilon);
  };
  statistics ? run(layer_norm_kernel<Y, true>) : run(layer_norm_kernel<Y>);
}

}   // namespace tile::kernels
