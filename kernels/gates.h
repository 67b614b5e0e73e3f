// SPDX-License-Identifier: MIT
// Gated activations, and their gradients in one launch:
//
//   y = act(gate) up        grad_gate = grad_y up act'(gate)        grad_up = grad_y act(gate)
//
//   gated_activation(device, gate, up, y, {.activation = GateActivation::silu});
//   gated_activation_backward(device, gate, up, grad_y, {grad_gate, grad_up});
//
// With silu this is SwiGLU, with gelu GeGLU, with relu ReGLU, with sigmoid GLU. gate and up may be the halves
// of one matrix: all strides are allowed. The arithmetic is f32 for all element types.
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tile::kernels {

enum class GateActivation : std::uint8_t { silu, gelu, gelu_tanh, relu, sigmoid };

struct GateConfig {
  int block_m = 1, block_n = 1024;                    // rows and columns of a program
  GateActivation activation = GateActivation::silu;   // set by the launch
  Launch launch{};
};

namespace detail {

inline WithSlope gate_with_slope(GateActivation activation, const Tensor<f32> &x) {
  switch (activation) {
  case GateActivation::silu:
    return silu_with_slope(x);
  case GateActivation::gelu:
    return gelu_with_slope(x);
  case GateActivation::gelu_tanh:
    return gelu_tanh_with_slope(x);
  case GateActivation::relu:
    return relu_with_slope(x);
  case GateActivation::sigmoid:
    break;
  }
  return sigmoid_with_slope(x);
}

// The elements of a program: [rows, 1] and [1, columns]. Programs that follow each other continue a row.
struct GateTile {
  Tensor<i64> row, col;
  Tensor<i1> is_inside;
  template <class T> Ptr<T> in(const Ptr<T> &matrix, const Int64 &row_stride, const Int64 &col_stride) const {
    return matrix + row * row_stride + col * col_stride;
  }
};
inline GateTile gate_tile(const Int64 &rows, const Int64 &cols, int block_m, int block_n) {
  Int program = program_id(0), tiles_of_row = cast<i32>(cdiv(cols, std::int64_t{block_n}));
  Int down = program / tiles_of_row, along = program - down * tiles_of_row;
  auto row = (cast<i64>(down) * block_m + cast<i64>(arange(0, block_m)))(all, none);
  auto col = (cast<i64>(along) * block_n + cast<i64>(arange(0, block_n)))(none, all);
  // The grid ends with the last row.
  return {row, col, block_m == 1 ? col < cols : (row < rows) & (col < cols)};
}

inline std::vector<GateConfig> gate_configs() {
  auto config = [](int block_m, int block_n, int num_warps) {
    return GateConfig{.block_m = block_m, .block_n = block_n, .launch = {.num_warps = num_warps}};
  };
  return {config(1, 1024, 4), config(1, 2048, 4), config(1, 2048, 8),  config(1, 4096, 8), config(1, 512, 2),
          config(1, 512, 1),  config(1, 1024, 2), config(1, 4096, 16), config(2, 512, 4),  config(4, 256, 4),
          config(8, 128, 4),  config(16, 64, 4),  config(64, 16, 4)};
}

// Narrow tiles are for narrow matrices: what is masked off does no work.
inline bool keep_gate_config(const GateConfig &cfg, std::int64_t cols) {
  const bool is_narrowest = cfg.block_n <= 16;
  return (is_narrowest || cfg.block_n < 4 * cols) && (cfg.block_m == 1 || cfg.block_n >= cols / 4);
}

// A kernel that moves `Moved` matrices of elements T, and whose first parameters are rows, cols and
// activation.
template <auto Program, class T, int Moved>
Kernel<Program>
gate_kernel(const char *name,
            const tile::detail::ParameterNames<Kernel<Program>::Signature::arguments> &parameters) {
  return {
      .name = name,
      .parameters = parameters,
      .grid =
          [](auto &cfg, std::int64_t rows, std::int64_t cols, auto...) {
            return Grid{cdiv(rows, std::int64_t{cfg.block_m}) * cdiv(cols, std::int64_t{cfg.block_n})};
          },
      .configs = gate_configs(),
      .complete =
          [](auto cfg, std::int64_t, std::int64_t, int activation, auto...) {
            cfg.activation = static_cast<GateActivation>(activation);
            return cfg;
          },
      .key = [](std::int64_t rows, std::int64_t cols,
                auto...) { return Key{size_bucket(rows), size_bucket(cols)}; },
      .keep = [](auto &cfg, std::int64_t, std::int64_t cols,
                 auto...) { return keep_gate_config(cfg, size_bucket(cols)); },
      .work = [](std::int64_t rows, std::int64_t cols,
                 auto...) { return Work{.bytes = double{Moved} * sizeof(T) * double(rows) * double(cols)}; },
      .cost =
          [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols, auto...) {
            const std::int64_t down = size_bucket(rows), along = size_bucket(cols);
            return tile_seconds(machine, {{down, cfg.block_m}, {along, cfg.block_n}},
                                double{Moved} * sizeof(T) * double(down) * double(along), cfg.launch);
          },
      .tunes = Tunes::when_asked};
}

}   // namespace detail

template <class T>
void gated_activation_program(Dynamic<Int64> rows, Int64 cols, [[maybe_unused]] Dynamic<Int> activation,
                              Ptr<const T> gate, Ptr<const T> up, Ptr<T> y, Int64 gate_row, Int64 gate_col,
                              Int64 up_row, Int64 up_col, Int64 y_row, Int64 y_col, const GateConfig &cfg) {
  const detail::GateTile tile = detail::gate_tile(rows, cols, cfg.block_m, cfg.block_n);
  auto g = cast<f32>(load(tile.in(gate, gate_row, gate_col), tile.is_inside));
  auto u = cast<f32>(load(tile.in(up, up_row, up_col), tile.is_inside));
  auto of_gate = detail::gate_with_slope(cfg.activation, g).value;
  store(tile.in(y, y_row, y_col), cast<T>(of_gate * u), tile.is_inside);
}

template <class T>
void gated_activation_backward_program(Dynamic<Int64> rows, Int64 cols,
                                       [[maybe_unused]] Dynamic<Int> activation, Ptr<const T> gate,
                                       Ptr<const T> up, Ptr<const T> grad_y, Ptr<T> grad_gate, Ptr<T> grad_up,
                                       Int64 gate_row, Int64 gate_col, Int64 up_row, Int64 up_col,
                                       Int64 gy_row, Int64 gy_col, Int64 gg_row, Int64 gg_col, Int64 gu_row,
                                       Int64 gu_col, const GateConfig &cfg) {
  const detail::GateTile tile = detail::gate_tile(rows, cols, cfg.block_m, cfg.block_n);
  auto g = cast<f32>(load(tile.in(gate, gate_row, gate_col), tile.is_inside));
  auto u = cast<f32>(load(tile.in(up, up_row, up_col), tile.is_inside));
  auto dy = cast<f32>(load(tile.in(grad_y, gy_row, gy_col), tile.is_inside));
  const detail::WithSlope of_gate = detail::gate_with_slope(cfg.activation, g);
  store(tile.in(grad_gate, gg_row, gg_col), cast<T>(dy * of_gate.slope * u), tile.is_inside);
  store(tile.in(grad_up, gu_row, gu_col), cast<T>(dy * of_gate.value), tile.is_inside);
}

template <class T>
inline const auto gated_activation_kernel = detail::gate_kernel<&gated_activation_program<T>, T, 3>(
    "gated_activation", {"rows", "cols", "activation", "gate", "up", "y", "gate_row", "gate_col", "up_row",
                         "up_col", "y_row", "y_col"});
template <class T>
inline const auto gated_activation_backward_kernel =
    detail::gate_kernel<&gated_activation_backward_program<T>, T, 5>(
        "gated_activation_backward",
        {"rows", "cols", "activation", "gate", "up", "grad_y", "grad_gate", "grad_up", "gate_row", "gate_col",
         "up_row", "up_col", "gy_row", "gy_col", "gg_row", "gg_col", "gu_row", "gu_col"});

struct GatedActivationOptions {
  GateActivation activation = GateActivation::silu;
  std::optional<GateConfig> config;   // none: the kernel chooses
};

// What is written. Each may be gate, up or grad_y itself.
template <class T> struct GateGradients {
  MatrixView<T> gate, up;
};

namespace detail {

inline void gate_config(const Operands &operands, const GatedActivationOptions &options) {
  if (!options.config)
    return;
  operands.positive("block_m", options.config->block_m);
  operands.positive("block_n", options.config->block_n);
}

// Whether the elements of a column lie together, or are the only ones: then columns are what programs go
// along.
template <class T> bool goes_along_columns(const MatrixView<T> &written) {
  return written.cols == 1 ||
         (written.rows > 1 && std::abs(written.row_stride) < std::abs(written.col_stride));
}

}   // namespace detail

// y may be gate or up itself.
template <class G, class U, class Y>
void gated_activation(OnDevice on, const MatrixView<G> &gate, const MatrixView<U> &up, const MatrixView<Y> &y,
                      const GatedActivationOptions &options = {}) {
  static_assert(std::is_same_v<std::remove_const_t<G>, Y> && std::is_same_v<std::remove_const_t<U>, Y>,
                "gate, up and y must have the same element type, and y must not be const");
  const detail::Operands operands("gated_activation", on.where);
  operands.same_shape("up", detail::extents(up), "gate", detail::extents(gate));
  operands.same_shape("y", detail::extents(y), "gate", detail::extents(gate));
  operands.output("y", detail::placed(y));
  operands.apart("y", detail::placed(y), "gate", detail::placed(gate), true);
  operands.apart("y", detail::placed(y), "up", detail::placed(up), true);
  detail::gate_config(operands, options);
  auto run = [&](const MatrixView<G> &g, const MatrixView<U> &u, const MatrixView<Y> &to) {
    gated_activation_kernel<Y>.launch_with(
        options.config, on, to.rows, to.cols, static_cast<int>(options.activation), g, u, to, g.row_stride,
        g.col_stride, u.row_stride, u.col_stride, to.row_stride, to.col_stride);
  };
  detail::goes_along_columns(y) ? run(gate.transposed(), up.transposed(), y.transposed()) : run(gate, up, y);
}

template <class G, class U, class D>
void gated_activation_backward(OnDevice on, const MatrixView<G> &gate, const MatrixView<U> &up,
                               const MatrixView<D> &grad_y,
                               const GateGradients<std::remove_const_t<G>> &gradients,
                               const GatedActivationOptions &options = {}) {
  using T = std::remove_const_t<G>;
  static_assert(std::is_same_v<std::remove_const_t<U>, T> && std::is_same_v<std::remove_const_t<D>, T>,
                "gate, up and grad_y must have the same element type");
  const detail::Operands operands("gated_activation_backward", on.where);
  const auto shape = detail::extents(gate);
  operands.same_shape("up", detail::extents(up), "gate", shape);
  operands.same_shape("grad_y", detail::extents(grad_y), "gate", shape);
  auto written = [&](std::string_view name, const MatrixView<T> &gradient) {
    const detail::Placed out = detail::placed(gradient);
    operands.same_shape(name, detail::extents(gradient), "gate", shape);
    operands.output(name, out);
    operands.apart(name, out, "gate", detail::placed(gate), true);
    operands.apart(name, out, "up", detail::placed(up), true);
    operands.apart(name, out, "grad_y", detail::placed(grad_y), true);
  };
  written("grad_gate", gradients.gate);
  written("grad_up", gradients.up);
  operands.apart("grad_up", detail::placed(gradients.up), "grad_gate", detail::placed(gradients.gate));
  detail::gate_config(operands, options);
  auto run = [&](const MatrixView<G> &g, const MatrixView<U> &u, const MatrixView<D> &dy,
                 const GateGradients<T> &to) {
    gated_activation_backward_kernel<T>.launch_with(
        options.config, on, g.rows, g.cols, static_cast<int>(options.activation), g, u, dy, to.gate, to.up,
        g.row_stride, g.col_stride, u.row_stride, u.col_stride, dy.row_stride, dy.col_stride,
        to.gate.row_stride, to.gate.col_stride, to.up.row_stride, to.up.col_stride);
  };
  if (detail::goes_along_columns(gradients.gate))
    run(gate.transposed(), up.transposed(), grad_y.transposed(),
        {gradients.gate.transposed(), gradients.up.transposed()});
  else
    run(gate, up, grad_y, gradients);
}

}   // namespace tile::kernels
