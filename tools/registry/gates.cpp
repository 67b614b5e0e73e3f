// SPDX-License-Identifier: MIT
// gated_activation and gated_activation_backward by name.
#include "kernels/gates.h"

#include "tools/registry/row_functions.h"

#include <algorithm>

namespace tile::registry {
namespace {

using kernels::GateActivation;
using kernels::GateConfig;
using kernels::GatedActivationOptions;
using reference::Matrix;

const std::vector<std::string> activations{"silu", "gelu", "gelu_tanh", "relu", "sigmoid"};

GateActivation activation_of(const Settings &settings) {
  const auto at = std::ranges::find(activations, settings.choice("activation"));
  return static_cast<GateActivation>(at - activations.begin());
}
GatedActivationOptions options_of(const Settings &settings) {
  return {.activation = activation_of(settings), .config = config_of<GateConfig>(settings)};
}
GateConfig traced_config(const Settings &settings) {
  auto config = config_from<GateConfig>(settings.config);
  config.activation = activation_of(settings);
  return config;
}
// Of rows, cols and the activation, so many pointers, and the strides of the operands.
std::vector<ArgClass> classes_of(std::size_t operands, bool specialized) {
  const RowClasses c(specialized);
  std::vector<ArgClass> classes{c.any, c.by16, c.any};
  classes.insert(classes.end(), operands, c.by16);
  for (std::size_t i = 0; i < operands; ++i)
    classes.insert(classes.end(), {c.by16, c.one});
  return classes;
}

// gate and up are two operands, or the halves of one.
template <class T> struct Gated {
  using Config = GateConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const bool are_halves = settings.choice("halves") == "yes";
    const GatedActivationOptions options = options_of(settings);
    const reference::GateFunction function = reference::gate_function(settings.choice("activation"));
    Problem problem{.kind = Problem::Kind::other_rows,
                    .work = work_of_matrices(settings, 3, type),
                    .work_of_row = 20.0 * static_cast<double>(n),
                    .tolerance = reference::elementwise_tolerance(type)};
    if (are_halves)
      problem.operands = {{"gate_up", type, m, 2 * n}};
    else
      problem.operands = {{"gate", type, m, n}, {"up", type, m, n}};
    problem.operands.push_back({"y", type, m, n, false, true});
    problem.bind = [=](Device &device, auto at) {
      const std::int64_t row = are_halves ? 2 * n : n;
      const auto *first = static_cast<const T *>(at[0]);
      const MatrixView<const T> gate(first, m, n, row, 1),
          up(are_halves ? first + n : static_cast<const T *>(at[1]), m, n, row, 1);
      const MatrixView<T> y(static_cast<T *>(at[are_halves ? 1 : 2]), m, n);
      return Problem::Launch([=, &device] { kernels::gated_activation(device, gate, up, y, options); });
    };
    problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
      if (!are_halves)
        return reference::gated_activation(rows_of_operand(read, 0, n, rows),
                                           rows_of_operand(read, 1, n, rows), function);
      const Matrix both = rows_of_operand(read, 0, 2 * n, rows);
      Matrix gate(both.rows, n), up(both.rows, n);
      for (std::int64_t i = 0; i < both.rows; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          gate.at(i, j) = both.at(i, j);
          up.at(i, j) = both.at(i, n + j);
        }
      return reference::gated_activation(gate, up, function);
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    return kernels::gated_activation_kernel<T>.trace(traced_config(settings), classes_of(3, specialized));
  }
  static auto configs(const Settings &) { return kernels::gated_activation_kernel<T>.configs; }
};

template <class T> struct GatedBackward {
  using Config = GateConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const GatedActivationOptions options = options_of(settings);
    const reference::GateFunction function = reference::gate_function(settings.choice("activation"));
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"gate", type, m, n},
                                 {"up", type, m, n},
                                 {"grad_y", type, m, n},
                                 {"grad_gate", type, m, n, false, true},
                                 {"grad_up", type, m, n, false, true}},
                    .work = work_of_matrices(settings, 5, type),
                    .work_of_row = 20.0 * static_cast<double>(n),
                    .tolerance = reference::elementwise_tolerance(type)};
    problem.bind = [=](Device &device, auto at) {
      auto read = [&](std::size_t i) { return MatrixView<const T>(static_cast<const T *>(at[i]), m, n); };
      auto written = [&](std::size_t i) { return MatrixView<T>(static_cast<T *>(at[i]), m, n); };
      const MatrixView<const T> gate = read(0), up = read(1), grad_y = read(2);
      const kernels::GateGradients<T> gradients{written(3), written(4)};
      return Problem::Launch(
          [=, &device] { kernels::gated_activation_backward(device, gate, up, grad_y, gradients, options); });
    };
    problem.expected = [=](std::size_t operand, const Problem::Read &read,
                           std::span<const std::int64_t> rows) {
      auto expected =
          reference::gate_gradients(rows_of_operand(read, 0, n, rows), rows_of_operand(read, 1, n, rows),
                                    rows_of_operand(read, 2, n, rows), function);
      return operand == 3 ? expected.gate : expected.up;
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    return kernels::gated_activation_backward_kernel<T>.trace(traced_config(settings),
                                                              classes_of(5, specialized));
  }
  static auto configs(const Settings &) { return kernels::gated_activation_backward_kernel<T>.configs; }
};

Parameter activation_parameter() { return {"activation", "function of the gate", "silu", activations}; }

}   // namespace

Entry gated_activation_entry() {
  return row_entry<Gated>(
      "gated_activation", "y = activation(gate) * up, as in SwiGLU",
      {activation_parameter(),
       {"halves", "whether gate and up are the halves of one matrix", "no", {"no", "yes"}}});
}
Entry gated_activation_backward_entry() {
  return row_entry<GatedBackward>("gated_activation_backward",
                                  "the gradients of gated_activation by gate and up",
                                  {activation_parameter()});
}

}   // namespace tile::registry
