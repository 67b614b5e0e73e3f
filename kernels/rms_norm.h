// SPDX-License-Identifier: MIT
// RMS normalisation of each row of a matrix, forward:
//
//   y = x / sqrt(mean(x^2) + epsilon) * weight
//
// The arithmetic is f32 for all element types. A residual may be added to x before:
//
//   rms_norm(device, x, weight, y, {}, {.residual = {{residual, sum}}, .scale = scale});
//
// Gradients: norm_gradients.h.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>

#include <optional>
#include <utility>

namespace tile::kernels {

using RmsNormConfig = RowConfig;

// One program per row, or for some short rows. With Adds, the norm is of `sum`, which is x + residual rounded
// to T: later layers and the backward pass read it. With KeepsScale, the kernel writes 1 / sqrt(mean(x^2) +
// epsilon).
template <class T, bool Adds, bool KeepsScale>
void rms_norm_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> x, Ptr<const T> residual,
                      Ptr<const T> weight, Ptr<T> y, Ptr<T> sums, Ptr<f32> scale, Int64 x_row, Int64 x_col,
                      Int64 residual_row, Int64 residual_col, Int64 y_row, Int64 y_col, Int64 sum_row,
                      Int64 sum_col, Float epsilon, const RmsNormConfig &cfg) {
  const int block = cfg.block;
  const detail::ProgramRows at(cfg, rows, cols);
  auto from = x + at.number() * x_row, other = residual + at.number() * residual_row;
  auto to = y + at.number() * y_row, sum_to = sums + at.number() * sum_row;
  auto lane = at.lane();
  Float count = cast<f32>(cols);

  auto take = [&](const Tensor<i64> &col) {
    auto v = load(from + col * x_col, at.inside(col));
    if (Adds) {
      v = cast<T>(cast<f32>(v) + cast<f32>(load(other + col * residual_col, at.inside(col))));
      store(sum_to + col * sum_col, v, at.inside(col));
    }
    return cast<f32>(v);
  };
  auto scale_of = [&](const Tensor<f32> &squares) {
    Float inverse = 1.0f / sqrt(at.sum(squares) / count + epsilon);
    if (KeepsScale)
      at.store(scale, inverse);
    return inverse;
  };
  auto give = [&](const Tensor<f32> &v, const Tensor<i64> &col, const Float &inverse) {
    auto w = cast<f32>(at.load_shared(weight + col, col < cols));
    store(to + col * y_col, cast<T>(v * inverse * w), at.inside(col));
  };

  if (cfg.whole_row) {
    auto v = take(lane);
    give(v, lane, scale_of(v * v));
    return;
  }

  auto squares = zeros<f32>({block});
  for (auto begin : range(0, cols, block)) {
    auto v = take(begin + lane);
    squares += v * v;
  }
  Float inverse = scale_of(squares);
  if (Adds)
    barrier();   // the sums are read again, maybe by other threads
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto v =
        Adds ? load(Ptr<const T>(sum_to) + col * sum_col, col < cols) : load(from + col * x_col, col < cols);
    give(cast<f32>(v), col, inverse);
  }
}

template <class T, bool Adds = false, bool KeepsScale = false>
inline const auto rms_norm_kernel =
    detail::row_kernel<&rms_norm_program<T, Adds, KeepsScale>, T, Adds ? 4 : 2, 2>(
        "rms_norm", {"rows", "cols", "x", "residual", "weight", "y", "sum", "scale", "x_row", "x_col",
                     "residual_row", "residual_col", "y_row", "y_col", "sum_row", "sum_col", "epsilon"});

struct RmsNormOptions {
  float epsilon = 1e-6f;
  std::optional<RmsNormConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;     // without a config: what decides the bits of a result
};

// Further operands of rms_norm().
template <class T> struct RmsNormExtras {
  struct Residual {
    MatrixView<const T> residual;
    MatrixView<T> sum;   // written: x + residual, the norm is of it. It may be x or the residual itself
  };
  std::optional<Residual> residual;
  std::optional<VectorView<f32>> scale;   // written, one for each row: 1 / sqrt(mean(x^2) + epsilon)
};

template <class X, class W, class Y>
void rms_norm(OnDevice on, const MatrixView<X> &x, const VectorView<W> &weight, const MatrixView<Y> &y,
              const RmsNormOptions &options = {}, const RmsNormExtras<std::remove_const_t<X>> &extras = {}) {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y> && std::is_same_v<std::remove_const_t<W>, Y>,
                "x, weight and y must have the same element type, and y must not be const");
  const detail::Operands operands("rms_norm", on.where);
  operands.same_shape("y", detail::extents(y), "x", detail::extents(x));
  operands.same_size("weight", weight.size, "a row of x", x.cols);
  operands.output("y", detail::placed(y));
  operands.apart("y", detail::placed(y), "weight", detail::placed(weight));
  operands.apart("y", detail::placed(y), "x", detail::placed(x), true);
  const MatrixView<const Y> residual = extras.residual ? extras.residual->residual : MatrixView<const Y>();
  const MatrixView<Y> sum = extras.residual ? extras.residual->sum : MatrixView<Y>();
  if (extras.residual) {
    operands.same_shape("residual", detail::extents(residual), "x", detail::extents(x));
    operands.same_shape("sum", detail::extents(sum), "x", detail::extents(x));
    operands.output("sum", detail::placed(sum));
    operands.apart("sum", detail::placed(sum), "x", detail::placed(x), true);
    operands.apart("sum", detail::placed(sum), "residual", detail::placed(residual), true);
    operands.apart("sum", detail::placed(sum), "weight", detail::placed(weight));
    operands.apart("y", detail::placed(y), "residual", detail::placed(residual), true);
    operands.apart("y", detail::placed(y), "sum", detail::placed(sum));
  }
  const VectorView<f32> scale = extras.scale.value_or(VectorView<f32>());
  if (extras.scale) {
    const auto out = detail::placed(scale);
    operands.same_size("scale", scale.size, "a column of x", x.rows);
    operands.apart("scale", out, "x", detail::placed(x));
    operands.apart("scale", out, "weight", detail::placed(weight));
    operands.apart("scale", out, "y", detail::placed(y));
    if (extras.residual) {
      operands.apart("scale", out, "residual", detail::placed(residual));
      operands.apart("scale", out, "sum", detail::placed(sum));
    }
  }
  if (options.config)
    operands.row_config(*options.config, x.cols);
  auto run = [&](const auto &kernel) {
    kernel.launch_with(detail::row_config_of(options, x.cols), on, x.rows, x.cols, x, residual, weight, y,
                       sum, scale, x.row_stride, x.col_stride, residual.row_stride, residual.col_stride,
                       y.row_stride, y.col_stride, sum.row_stride, sum.col_stride, options.epsilon);
  };
  if (extras.residual)
    extras.scale ? run(rms_norm_kernel<Y, true, true>) : run(rms_norm_kernel<Y, true, false>);
  else
    extras.scale ? run(rms_norm_kernel<Y, false, true>) : run(rms_norm_kernel<Y>);
}

}   // namespace tile::kernels
