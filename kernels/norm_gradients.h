// SPDX-License-Identifier: MIT
// The gradients of rms_norm and layer_norm by x, weight and bias, from the gradient by y.
//
//   rms_norm(device, x, weight, y, {}, {.scale = scale});
//   rms_norm_backward(device, x, weight, grad_y, scale, {grad_x, grad_weight});
//
//   layer_norm(device, x, weight, bias, y, {}, {{mean, scale}});
//   layer_norm_backward(device, x, weight, grad_y, {mean, scale}, {grad_x, grad_weight, grad_bias});
//
// With n = (x - mean) scale and g = grad_y weight:
//
//   grad_x = scale (g - mean(g) - n mean(g n))    grad_weight = sum(grad_y n)    grad_bias = sum(grad_y)
//
// The sums go over all rows. rms_norm subtracts no mean, so the first mean is missing there. A program takes
// every so manieth row, and leaves its sums in memory that the launch allocates. A second kernel adds them,
// always in the same order. No two programs add to one element.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/tensor_view.h>
#include <tile/workspace.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tile::kernels {

using NormGradientConfig = RowConfig;

// `partial_sums`: [programs, cols] for the weight; behind it, with Centred, the same for the bias. Centred:
// of layer_norm. The second kernel writes grad_weight and grad_bias.
template <class T, bool Centred>
void norm_gradient_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> x, Ptr<const T> weight,
                           Ptr<const T> grad_y, Ptr<const f32> mean, Ptr<const f32> scale, Ptr<T> grad_x,
                           [[maybe_unused]] Ptr<T> grad_weight, [[maybe_unused]] Ptr<T> grad_bias,
                           Ptr<f32> partial_sums, Dynamic<Int> programs, Int64 x_row, Int64 x_col,
                           Int64 gy_row, Int64 gy_col, Int64 gx_row, Int64 gx_col,
                           const NormGradientConfig &cfg) {
  const int block = cfg.block;
  auto program = cast<i64>(program_id(0)), step = cast<i64>(programs);
  auto lane = cast<i64>(arange(0, block));
  auto of_weight = partial_sums + program * cols, of_bias = of_weight + step * cols;
  Float count = cast<f32>(cols);
  auto normalised = [&](const Tensor<T> &v, const Float &average, const Float &inverse) {
    return Centred ? (cast<f32>(v) - average) * inverse : cast<f32>(v) * inverse;
  };
  auto mean_of = [&](const Int64 &row) { return Centred ? load(mean + row) : constant<f32>(0); };
  auto gradient = [&](const Tensor<f32> &n, const Tensor<f32> &g, const Float &sum_g, const Float &sum_gn,
                      const Float &inverse) {
    auto rest = g - n * (sum_gn / count);
    return cast<T>((Centred ? rest - sum_g / count : rest) * inverse);
  };

  // The next row is on its way while this one is computed.
  if (cfg.whole_row) {
    auto take = [&](const Ptr<const T> &from, const Int64 &row, const Int64 &across, const Int64 &along) {
      return load(from + row * across + lane * along, (lane < cols) & (row < rows));
    };
    auto w = load(weight + lane, lane < cols);
    auto weight_sum = zeros<f32>({block}), bias_sum = zeros<f32>({block});
    auto next_x = take(x, program, x_row, x_col), next_g = take(grad_y, program, gy_row, gy_col);
    for (auto row : range(program, rows, step)) {
      auto this_x = next_x, this_g = next_g;
      next_x = take(x, row + step, x_row, x_col);
      next_g = take(grad_y, row + step, gy_row, gy_col);
      barrier();   // loads are put before their first user, but not behind this: that would be too late
      Float inverse = load(scale + row);
      auto n = normalised(this_x, mean_of(row), inverse);
      auto dy = cast<f32>(this_g);
      auto g = dy * cast<f32>(w);
      weight_sum += dy * n;
      if (Centred)
        bias_sum += dy;
      Float sum_gn = sum(g * n, 0), sum_g = Centred ? sum(g, 0) : constant<f32>(0);
      store(grad_x + row * gx_row + lane * gx_col, gradient(n, g, sum_g, sum_gn, inverse), lane < cols);
    }
    store(of_weight + lane, weight_sum, lane < cols);
    if (Centred)
      store(of_bias + lane, bias_sum, lane < cols);
    return;
  }

  // The sums of a row that fits no block do not fit registers either: they stay in memory, from row to row.
  for (auto begin : range(0, cols, block)) {
    auto col = begin + lane;
    store(of_weight + col, zeros<f32>({block}), col < cols);
    if (Centred)
      store(of_bias + col, zeros<f32>({block}), col < cols);
  }
  for (auto row : range(program, rows, step)) {
    Float average = mean_of(row), inverse = load(scale + row);
    auto sums_gn = zeros<f32>({block}), sums_g = zeros<f32>({block});
    auto take = [&](const Tensor<i64> &col) {
      auto n = normalised(load(x + row * x_row + col * x_col, col < cols), average, inverse);
      auto dy = cast<f32>(load(grad_y + row * gy_row + col * gy_col, col < cols));
      return std::pair(n, dy);
    };
    auto weighted = [&](const Tensor<f32> &dy, const Tensor<i64> &col) {
      return dy * cast<f32>(load(weight + col, col < cols));
    };
    for (auto begin : range(0, cols, block)) {
      auto col = begin + lane;
      auto [n, dy] = take(col);
      auto g = weighted(dy, col);
      sums_gn += g * n;
      if (Centred)
        sums_g += g;
    }
    Float sum_gn = sum(sums_gn, 0), sum_g = Centred ? sum(sums_g, 0) : constant<f32>(0);
    barrier();   // what is added to was written by this program, maybe by other threads
    for (auto begin : range(0, cols, block)) {
      auto col = begin + lane;
      auto [n, dy] = take(col);
      auto add = [&](const Ptr<f32> &to, const Tensor<f32> &value) {
        store(to + col, load(to + col, col < cols) + value, col < cols);
      };
      add(of_weight, dy * n);
      if (Centred)
        add(of_bias, dy);
      store(grad_x + row * gx_row + col * gx_col, gradient(n, weighted(dy, col), sum_g, sum_gn, inverse),
            col < cols);
    }
  }
}

struct NormGradientSumsConfig {
  int block_m = 64, block_n = 32;   // programs and columns
  Launch launch{};
};

// Adds up what the programs left.
template <class T, bool Centred>
void norm_gradient_sums_program(Int64 cols, Ptr<const f32> partial_sums, Dynamic<Int> programs,
                                Ptr<T> grad_weight, Ptr<T> grad_bias, const NormGradientSumsConfig &cfg) {
  const auto [BM, BN, launch] = cfg;
  auto col = cast<i64>(program_id(0)) * BN + cast<i64>(arange(0, BN));
  auto i = arange(0, BM);
  auto add_up = [&](const Ptr<const f32> &from, const Ptr<T> &to) {
    auto total = zeros<f32>({BM, BN});
    for (auto begin : range(0, programs, BM)) {
      auto program = begin + i;
      total += load(from + (cast<i64>(program)(all, none) * cols + col(none, all)),
                    (program(all, none) < programs) & (col(none, all) < cols));
    }
    store(to + col, cast<T>(sum(total, 0)), col < cols);
  };
  add_up(partial_sums, grad_weight);
  if (Centred)
    add_up(partial_sums + cast<i64>(programs) * cols, grad_bias);
}

template <class T, bool Centred>
inline const Kernel<&norm_gradient_sums_program<T, Centred>> norm_gradient_sums_kernel{
    .name = "norm_gradient_sums",
    .parameters = {"cols", "partial_sums", "programs", "grad_weight", "grad_bias"},
    .grid = [](auto &cfg, std::int64_t cols, auto...) {
      return Grid{cdiv(cols, std::int64_t{cfg.block_n})};
    }};

template <class T, bool Centred>
inline const Kernel<&norm_gradient_program<T, Centred>> norm_gradient_kernel{
    .name = Centred ? "layer_norm_backward" : "rms_norm_backward",
    .parameters = {"rows", "cols", "x", "weight", "grad_y", "mean", "scale", "grad_x", "grad_weight",
                   "grad_bias", "partial_sums", "programs", "x_row", "x_col", "gy_row", "gy_col", "gx_row",
                   "gx_col"},
    .grid = [](auto &, std::int64_t, std::int64_t, auto, auto, auto, auto, auto, auto, auto, auto, auto,
               int programs, auto...) { return Grid{programs}; },
    .configs = detail::row_configs({.rows = 1}),
    .key = [](std::int64_t rows, std::int64_t cols, auto...) { return detail::row_key(rows, cols); },
    .keep = [](auto &cfg, std::int64_t, std::int64_t cols,
               auto...) { return detail::keep_row_config(cfg, cols); },
    .work = [](std::int64_t rows, std::int64_t cols,
               auto...) { return Work{.bytes = 3.0 * sizeof(T) * double(rows) * double(cols)}; },
    .cost =
        [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, auto...) {
          return detail::row_seconds(machine, {detail::size_bucket(rows), cols, sizeof(T), 4, 3}, cfg.block,
                                     cfg.whole_row, cfg.launch);
        },
    .tunes = Tunes::when_asked,
    .around =
        [](auto &, OnDevice on, auto &launch, std::int64_t rows, std::int64_t cols, auto x, auto weight,
           auto grad_y, auto mean, auto scale, auto grad_x, auto grad_weight, auto grad_bias, auto,
           int programs, std::int64_t x_row, std::int64_t x_col, std::int64_t gy_row, std::int64_t gy_col,
           std::int64_t gx_row, std::int64_t gx_col) {
          const Workspace<f32> sums(on.device, (Centred ? 2 : 1) * static_cast<std::size_t>(programs) *
                                                   static_cast<std::size_t>(cols));
          launch(rows, cols, x, weight, grad_y, mean, scale, grad_x, grad_weight, grad_bias, sums.data(),
                 programs, x_row, x_col, gy_row, gy_col, gx_row, gx_col);
          norm_gradient_sums_kernel<T, Centred>(on, cols, static_cast<const f32 *>(sums.data()), programs,
                                                grad_weight, grad_bias);
        }};

struct NormGradientOptions {
  std::optional<NormGradientConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;          // without a config: what decides the bits of a result
};

// What is written: the shapes of x, weight and bias. x may be grad_y, or the x of the forward pass.
template <class T> struct RmsNormGradients {
  MatrixView<T> x;
  VectorView<T> weight;
};
template <class T> struct LayerNormGradients {
  MatrixView<T> x;
  VectorView<T> weight, bias;
};

// What layer_norm() left in LayerNormStatistics.
struct LayerNormMoments {
  VectorView<const f32> mean, scale;
};

namespace detail {

// As many programs as a GPU runs at once, and not more than have a few rows each. They decide in which order
// rows are summed, so with Numerics they are the same on all machines.
inline int norm_gradient_programs(const Device &device, Numerics numerics, std::int64_t rows,
                                  std::int64_t cols) {
  constexpr int of_h200 = 132, least_rows = 4;
  const int found = device.machine().multiprocessors;
  const int multiprocessors = numerics == Numerics::any && found > 0 ? found : of_h200;
  const int of_each = cols <= 256 ? 16 : cols <= 1024 ? 8 : cols <= 2048 ? 4 : cols <= 4096 ? 2 : 1;
  return static_cast<int>(std::clamp<std::int64_t>(cdiv(rows, std::int64_t{least_rows}), 1,
                                                   std::int64_t{multiprocessors} * of_each));
}

template <bool Centred, class T>
void norm_backward(const char *name, OnDevice on, const MatrixView<const T> &x,
                   const VectorView<const T> &weight, const MatrixView<const T> &grad_y,
                   const LayerNormMoments &moments, const LayerNormGradients<T> &gradients,
                   const NormGradientOptions &options) {
  const Operands operands(name, on.where);
  operands.same_size("weight", weight.size, "a row of x", x.cols);
  operands.same_shape("grad_y", extents(grad_y), "x", extents(x));
  if (Centred)
    operands.same_size("mean", moments.mean.size, "a column of x", x.rows);
  operands.same_size("scale", moments.scale.size, "a column of x", x.rows);
  operands.same_shape("grad_x", extents(gradients.x), "x", extents(x));
  operands.same_size("grad_weight", gradients.weight.size, "a row of x", x.cols);
  if (Centred)
    operands.same_size("grad_bias", gradients.bias.size, "a row of x", x.cols);
  operands.output("grad_x", placed(gradients.x));
  operands.apart("grad_x", placed(gradients.x), "x", placed(x), true);
  operands.apart("grad_x", placed(gradients.x), "grad_y", placed(grad_y), true);
  auto apart = [&](std::string_view written, const Placed &out, bool is_x) {
    operands.apart(written, out, "weight", placed(weight));
    operands.apart(written, out, "scale", placed(moments.scale));
    if (Centred)
      operands.apart(written, out, "mean", placed(moments.mean));
    if (is_x)
      return;
    operands.apart(written, out, "x", placed(x));
    operands.apart(written, out, "grad_y", placed(grad_y));
    operands.apart(written, out, "grad_x", placed(gradients.x));
  };
  apart("grad_x", placed(gradients.x), true);
  apart("grad_weight", placed(gradients.weight), false);
  if (Centred) {
    apart("grad_bias", placed(gradients.bias), false);
    operands.apart("grad_bias", placed(gradients.bias), "grad_weight", placed(gradients.weight));
  }
  if (options.config)
    operands.config_of_single_rows(*options.config, x.cols);
  const Device &device = on.device;
  norm_gradient_kernel<T, Centred>.launch_with(
      row_config_of(options, x.cols), on, x.rows, x.cols, x, weight, grad_y, moments.mean, moments.scale,
      gradients.x, gradients.weight, gradients.bias, static_cast<f32 *>(nullptr),
      norm_gradient_programs(device, options.numerics, x.rows, x.cols), x.row_stride, x.col_stride,
      grad_y.row_stride, grad_y.col_stride, gradients.x.row_stride, gradients.x.col_stride);
}

}   // namespace detail

// `scale`: what rms_norm() wrote. With a residual, x is the sum that it wrote.
template <class X, class W, class G, class S>
void rms_norm_backward(OnDevice on, const MatrixView<X> &x, const VectorView<W> &weight,
                       const MatrixView<G> &grad_y, const VectorView<S> &scale,
                       const RmsNormGradients<std::remove_const_t<X>> &gradients,
                       const NormGradientOptions &options = {}) {
  using T = std::remove_const_t<X>;
  static_assert(std::is_same_v<std::remove_const_t<W>, T> && std::is_same_v<std::remove_const_t<G>, T>,
                "x, weight and grad_y must have the same element type");
  static_assert(std::is_same_v<std::remove_const_t<S>, f32>, "scale has elements of f32");
  detail::norm_backward<false, T>("rms_norm_backward", on, x, weight, grad_y, {{}, scale},
                                  {gradients.x, gradients.weight, {}}, options);
}

template <class X, class W, class G>
void layer_norm_backward(OnDevice on, const MatrixView<X> &x, const VectorView<W> &weight,
                         const MatrixView<G> &grad_y, const LayerNormMoments &moments,
                         const LayerNormGradients<std::remove_const_t<X>> &gradients,
                         const NormGradientOptions &options = {}) {
  using T = std::remove_const_t<X>;
  static_assert(std::is_same_v<std::remove_const_t<W>, T> && std::is_same_v<std::remove_const_t<G>, T>,
                "x, weight and grad_y must have the same element type");
  detail::norm_backward<true, T>("layer_norm_backward", on, x, weight, grad_y, moments, gradients, options);
}

}   // namespace tile::kernels
