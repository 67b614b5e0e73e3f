// SPDX-License-Identifier: MIT
// The gradients of softmax and log_softmax by x, from their result y and the gradient by it:
//
//   softmax(device, x, y);        softmax_backward(device, y, grad_y, grad_x);
//   log_softmax(device, x, y);    log_softmax_backward(device, y, grad_y, grad_x);
//
//   of softmax:        grad_x = y (grad_y - sum(grad_y y))
//   of log_softmax:    grad_x = grad_y - exp(y) sum(grad_y)
//
// The sums go over a row. A row is read once if it fits one tile, else twice. The arithmetic is f32 for all
// element types.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>

#include <optional>

namespace tile::kernels {

using SoftmaxGradientConfig = RowConfig;

// One program per row, or for some short rows. Lanes behind the row load zeros, which add nothing to the sum.
template <class T, bool Logarithm>
void softmax_gradient_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> y, Ptr<const T> grad_y,
                              Ptr<T> grad_x, Int64 y_row, Int64 y_col, Int64 gy_row, Int64 gy_col,
                              Int64 gx_row, Int64 gx_col, const SoftmaxGradientConfig &cfg) {
  const int block = cfg.block;
  const detail::ProgramRows at(cfg, rows, cols);
  auto of_y = y + at.number() * y_row, of_gradient = grad_y + at.number() * gy_row;
  auto to = grad_x + at.number() * gx_row;
  auto lane = at.lane();
  auto take = [&](const Ptr<const T> &from, const Tensor<i64> &col, const Int64 &stride) {
    return cast<f32>(load(from + col * stride, at.inside(col)));
  };
  auto give = [&](const Tensor<f32> &result, const Tensor<f32> &gradient, const Float &total,
                  const Tensor<i64> &col) {
    auto value = Logarithm ? gradient - exp(result) * total : result * (gradient - total);
    store(to + col * gx_col, cast<T>(value), at.inside(col));
  };

  if (cfg.whole_row) {
    auto result = take(of_y, lane, y_col), gradient = take(of_gradient, lane, gy_col);
    give(result, gradient, at.sum(Logarithm ? gradient : gradient * result), lane);
    return;
  }

  auto sums = zeros<f32>({block});
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto gradient = take(of_gradient, col, gy_col);
    sums += Logarithm ? gradient : gradient * take(of_y, col, y_col);
  }
  Float total = sum(sums, 0);
  barrier();   // the gradient may replace what this pass read, maybe in other threads
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    give(take(of_y, col, y_col), take(of_gradient, col, gy_col), total, col);
  }
}

template <class T, bool Logarithm>
inline const auto softmax_gradient_kernel =
    detail::row_kernel<&softmax_gradient_program<T, Logarithm>, T, 3, 2>(
        Logarithm ? "log_softmax_backward" : "softmax_backward",
        {"rows", "cols", "y", "grad_y", "grad_x", "y_row", "y_col", "gy_row", "gy_col", "gx_row", "gx_col"});

struct SoftmaxGradientOptions {
  std::optional<SoftmaxGradientConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;             // without a config: what decides the bits of a result
};

namespace detail {

template <bool Logarithm, class T>
void softmax_gradient(const char *name, OnDevice on, const MatrixView<const T> &y,
                      const MatrixView<const T> &grad_y, const MatrixView<T> &grad_x,
                      const SoftmaxGradientOptions &options) {
  const Operands operands(name, on.where);
  operands.same_shape("grad_y", extents(grad_y), "y", extents(y));
  operands.same_shape("grad_x", extents(grad_x), "y", extents(y));
  operands.output("grad_x", placed(grad_x));
  operands.apart("grad_x", placed(grad_x), "y", placed(y), true);
  operands.apart("grad_x", placed(grad_x), "grad_y", placed(grad_y), true);
  if (options.config)
    operands.row_config(*options.config, y.cols);
  softmax_gradient_kernel<T, Logarithm>.launch_with(
      row_config_of(options, y.cols), on, y.rows, y.cols, y, grad_y, grad_x, y.row_stride, y.col_stride,
      grad_y.row_stride, grad_y.col_stride, grad_x.row_stride, grad_x.col_stride);
}

}   // namespace detail

// `y`: what softmax() wrote. grad_x may be grad_y or y itself.
template <class Y, class G, class X>
void softmax_backward(OnDevice on, const MatrixView<Y> &y, const MatrixView<G> &grad_y,
                      const MatrixView<X> &grad_x, const SoftmaxGradientOptions &options = {}) {
  static_assert(std::is_same_v<std::remove_const_t<Y>, X> && std::is_same_v<std::remove_const_t<G>, X>,
                "y, grad_y and grad_x must have the same element type, and grad_x must not be const");
  detail::softmax_gradient<false, X>("softmax_backward", on, y, grad_y, grad_x, options);
}

// `y`: what log_softmax() wrote. grad_x may be grad_y or y itself.
template <class Y, class G, class X>
void log_softmax_backward(OnDevice on, const MatrixView<Y> &y, const MatrixView<G> &grad_y,
                          const MatrixView<X> &grad_x, const SoftmaxGradientOptions &options = {}) {
  static_assert(std::is_same_v<std::remove_const_t<Y>, X> && std::is_same_v<std::remove_const_t<G>, X>,
                "y, grad_y and grad_x must have the same element type, and grad_x must not be const");
  detail::softmax_gradient<true, X>("log_softmax_backward", on, y, grad_y, grad_x, options);
}

}   // namespace tile::kernels
