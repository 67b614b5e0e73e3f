// SPDX-License-Identifier: MIT
// Softmax of each row of a matrix, and its logarithm:
//
//   softmax = exp(x) / sum(exp(x))        log_softmax = x - log(sum(exp(x)))
//
// A row is read once if it fits one tile, else twice. The arithmetic is f32 for all element types. Gradients:
// softmax_gradient.h.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/sum_of_powers.h>
#include <tile/tensor_view.h>

#include <limits>
#include <optional>

namespace tile::kernels {

using SoftmaxConfig = RowConfig;

// One program per row, or for some short rows. Before a maximum is subtracted, -inf is replaced by 0.
// Otherwise a block of -inf would make NaN (-inf - -inf) of a row that also has finite elements. A row of
// -inf alone still gives NaN, as the formula does: 0 / 0. The logarithm of such a row is -inf - -inf. A
// logarithm is taken in two steps: the maximum is subtracted first, so that the digits of a large one cancel.
template <class T, bool Logarithm>
void softmax_program(Ptr<const T> x, Ptr<T> y, Dynamic<Int64> rows, Int64 cols, Int64 x_row, Int64 x_col,
                     Int64 y_row, Int64 y_col, const SoftmaxConfig &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const int block = cfg.block;
  const detail::ProgramRows at(cfg, rows, cols);
  auto from = x + at.number() * x_row;
  auto to = y + at.number() * y_row;
  auto lane = at.lane();

  if (cfg.whole_row) {
    auto v = cast<f32>(load(from + lane * x_col, at.inside(lane), lowest));
    auto difference = v - detail::subtrahend_of(at.max(v));
    auto e = exp(difference);
    if (Logarithm)
      store(to + lane * y_col, cast<T>(difference - log(at.sum(e))), at.inside(lane));
    else   // one division per row
      store(to + lane * y_col, cast<T>(e * (1.0f / at.sum(e))), at.inside(lane));
    return;
  }

  detail::SumOfPowers sum_of_powers(block, sizeof(T));
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    sum_of_powers.add(cast<f32>(load(from + col * x_col, col < cols, lowest)));
  }
  Float largest = sum_of_powers.largest(), total = sum_of_powers.total(largest);
  Float last = Logarithm ? log(total) : 1.0f / total;
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    auto v = cast<f32>(load(from + col * x_col, col < cols, lowest));
    auto difference = v - detail::subtrahend_of(largest);
    store(to + col * y_col, cast<T>(Logarithm ? difference - last : exp(difference) * last), col < cols);
  }
}

template <class T, bool Logarithm = false>
inline const Kernel<&softmax_program<T, Logarithm>> softmax_kernel{
    .name = Logarithm ? "log_softmax" : "softmax",
    .parameters = {"x", "y", "rows", "cols", "x_row", "x_col", "y_row", "y_col"},
    .grid = [](auto &cfg, auto, auto, std::int64_t rows, auto...) { return detail::row_grid(cfg, rows); },
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

namespace detail {

template <bool Logarithm, class X, class Y>
void softmax_of_rows(const char *name, OnDevice on, const MatrixView<X> &x, const MatrixView<Y> &y,
                     const SoftmaxOptions &options) {
  static_assert(std::is_same_v<std::remove_const_t<X>, Y>,
                "x and y must have the same element type, and y must not be const");
  const Operands operands(name, on.where);
  operands.same_shape("y", extents(y), "x", extents(x));
  operands.output("y", placed(y));
  operands.apart("y", placed(y), "x", placed(x), true);
  if (options.config)
    operands.row_config(*options.config, x.cols);
  softmax_kernel<Y, Logarithm>.launch_with(row_config_of(options, x.cols), on, x, y, x.rows, x.cols,
                                           x.row_stride, x.col_stride, y.row_stride, y.col_stride);
}

}   // namespace detail

// Writes the softmax of each row of x to the same row of y, which may be x itself.
template <class X, class Y>
void softmax(OnDevice on, const MatrixView<X> &x, const MatrixView<Y> &y,
             const SoftmaxOptions &options = {}) {
  detail::softmax_of_rows<false>("softmax", on, x, y, options);
}

// Likewise the logarithm of the softmax. An element of -inf gives -inf.
template <class X, class Y>
void log_softmax(OnDevice on, const MatrixView<X> &x, const MatrixView<Y> &y,
                 const SoftmaxOptions &options = {}) {
  detail::softmax_of_rows<true>("log_softmax", on, x, y, options);
}

}   // namespace tile::kernels
