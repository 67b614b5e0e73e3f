// SPDX-License-Identifier: MIT
// Gated activations and their gradients: all functions, shapes and strides, operands in place, halves of
// one matrix, what is refused.
#include "gate_activations.h"
#include "row_operands.h"

#include <tile/gates.h>

namespace tile {
namespace {

using kernels::GateConfig;
using kernels::GatedActivationOptions;
using reference::Placement;

const GateConfig row{.block_n = 32}, tile{.block_m = 4, .block_n = 16};

GatedActivationOptions with(const NamedGate &named, const std::optional<GateConfig> &config = row) {
  return {.activation = named.activation, .config = config};
}

// Which operands are written.
enum class Result { apart, over_gate, over_up };

template <class T> struct Operands {
  Filled<T> gate, up, grad_y;
  Operands(std::int64_t rows, std::int64_t cols, const Placement &at)
      : gate("gate", rows, cols, at, 1, 6), up("up", rows, cols, at, 2, 2),
        grad_y("grad_y", rows, cols, at, 3, 2) {}
};

template <class T>
void check_forward(const NamedGate &named, std::int64_t rows, std::int64_t cols,
                   const std::optional<GateConfig> &config, Result where = Result::apart,
                   const Placement &from = {}, const Placement &to = {}) {
  SCOPED_TRACE(std::string(named.name) + " " + element_type<T>.name() + " " + std::to_string(rows) + " x " +
               std::to_string(cols) + ", result " + std::to_string(static_cast<int>(where)));
  Operands<T> of(rows, cols, from);
  Written<T> apart("y", rows, cols, to);
  reference::Placed<T> &y = where == Result::apart       ? apart.memory
                            : where == Result::over_gate ? of.gate.memory
                                                         : of.up.memory;
  kernels::gated_activation(device(), of.gate.view(), of.up.view(), y.view(), with(named, config));
  device().synchronize();
  expect_result(
      y, reference::gated_activation(of.gate.values, of.up.values, reference::gate_function(named.name)),
      reference::elementwise_tolerance(element_type<T>));
}

// Which operands the gradients replace.
enum class Gradients { apart, over_their_own, crossed, over_grad_y };

template <class T>
void check_backward(const NamedGate &named, std::int64_t rows, std::int64_t cols,
                    const std::optional<GateConfig> &config, Gradients where = Gradients::apart,
                    const Placement &from = {}, const Placement &to = {}) {
  SCOPED_TRACE(std::string(named.name) + " " + element_type<T>.name() + " " + std::to_string(rows) + " x " +
               std::to_string(cols) + ", gradients " + std::to_string(static_cast<int>(where)));
  Operands<T> of(rows, cols, from);
  Written<T> apart_gate("grad_gate", rows, cols, to), apart_up("grad_up", rows, cols);
  reference::Placed<T> *gate = &apart_gate.memory, *up = &apart_up.memory;
  if (where == Gradients::over_their_own)
    gate = &of.gate.memory, up = &of.up.memory;
  if (where == Gradients::crossed)
    gate = &of.up.memory, up = &of.gate.memory;
  if (where == Gradients::over_grad_y)
    gate = &of.grad_y.memory;
  kernels::gated_activation_backward(device(), of.gate.view(), of.up.view(), of.grad_y.view(),
                                     {gate->view(), up->view()}, with(named, config));
  device().synchronize();
  const auto expected = reference::gate_gradients(of.gate.values, of.up.values, of.grad_y.values,
                                                  reference::gate_function(named.name));
  expect_result(*gate, expected.gate, reference::elementwise_tolerance(element_type<T>));
  expect_result(*up, expected.up, reference::elementwise_tolerance(element_type<T>));
}

template <class T> class Gates : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(Gates, Types);

TYPED_TEST(Gates, EachFunction) {
  for (const NamedGate &named : gate_activations)
    for (const GateConfig &config : {row, tile}) {
      check_forward<TypeParam>(named, 5, 77, config);
      check_backward<TypeParam>(named, 5, 77, config);
    }
}
TYPED_TEST(Gates, AnyShape) {
  for (const GateConfig &config : {row, tile})
    for (std::int64_t rows : {0, 1, 3, 4, 17})
      for (std::int64_t cols : {0, 1, 15, 16, 17, 32, 33, 100}) {
        check_forward<TypeParam>(gate_activations[0], rows, cols, config);
        check_backward<TypeParam>(gate_activations[0], rows, cols, config);
      }
}
TYPED_TEST(Gates, AnyStrides) {
  for (const GateConfig &config : {row, tile})
    for (const Placement &at : {Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check_forward<TypeParam>(gate_activations[2], 5, 77, config, Result::apart, at, {});
      check_forward<TypeParam>(gate_activations[2], 5, 77, config, Result::apart, {}, at);
      check_backward<TypeParam>(gate_activations[2], 5, 77, config, Gradients::apart, at, {});
      check_backward<TypeParam>(gate_activations[2], 5, 77, config, Gradients::apart, {}, at);
    }
}
// Each operand with strides of its own.
TYPED_TEST(Gates, DifferentStrides) {
  constexpr std::int64_t rows = 6, cols = 50;
  const reference::GateFunction function = reference::gate_function("silu");
  const reference::Tolerance tolerance = reference::elementwise_tolerance(element_type<TypeParam>);
  for (const GateConfig &config : {row, tile}) {
    const Filled<TypeParam> gate("gate", rows, cols, {.padding = 1}, 1, 4),
        up("up", rows, cols, {.step = 2}, 2), grad_y("grad_y", rows, cols, {.step = 3, .padding = 1}, 3);
    Written<TypeParam> y("y", rows, cols, {.padding = 3}), grad_gate("grad_gate", rows, cols, {.padding = 5}),
        grad_up("grad_up", rows, cols, {.by_columns = true});
    kernels::gated_activation(device(), gate.view(), up.view(), y.view(), {.config = config});
    kernels::gated_activation_backward(device(), gate.view(), up.view(), grad_y.view(),
                                       {grad_gate.view(), grad_up.view()}, {.config = config});
    device().synchronize();
    const auto expected = reference::gate_gradients(gate.values, up.values, grad_y.values, function);
    expect_result(y.memory, reference::gated_activation(gate.values, up.values, function), tolerance);
    expect_result(grad_gate.memory, expected.gate, tolerance);
    expect_result(grad_up.memory, expected.up, tolerance);
  }
}
TYPED_TEST(Gates, InPlace) {
  for (const GateConfig &config : {row, tile})
    for (const Placement &at : {Placement{}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      for (Result where : {Result::over_gate, Result::over_up})
        check_forward<TypeParam>(gate_activations[0], 5, 77, config, where, at);
      for (Gradients where : {Gradients::over_their_own, Gradients::crossed, Gradients::over_grad_y})
        check_backward<TypeParam>(gate_activations[0], 5, 77, config, where, at);
    }
}
TYPED_TEST(Gates, ItsOwnConfigs) {
  for (std::int64_t cols : {0, 1, 2, 17, 100, 1000, 5001})
    for (std::int64_t rows : {0, 1, 2, 17}) {
      check_forward<TypeParam>(gate_activations[0], rows, cols, {});
      check_backward<TypeParam>(gate_activations[0], rows, cols, {});
    }
}

// Each config of the list computes the same.
TEST(GateDetails, AllConfigs) {
  for (const GateConfig &config : kernels::detail::gate_configs()) {
    SCOPED_TRACE(describe_config(config));
    check_forward<bf16>(gate_activations[1], 19, 1030, config);
    check_backward<bf16>(gate_activations[1], 19, 1030, config);
  }
}

// As one product of weights gives them. The result may go over one half; the other half stays as it was.
TEST(GateDetails, HalvesOfOneMatrix) {
  constexpr std::int64_t rows = 6, cols = 50;
  for (const GateConfig &config : {row, tile})
    for (bool over_gate : {true, false}) {
      Filled<bf16> both("both", rows, 2 * cols, {}, 1, 4);
      reference::Matrix gate(rows, cols), up(rows, cols);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) {
          gate.at(r, c) = both.values.at(r, c);
          up.at(r, c) = both.values.at(r, cols + c);
        }
      const MatrixView<bf16> left = both.view().block(0, 0, rows, cols),
                             right = both.view().block(0, cols, rows, cols);
      kernels::gated_activation(device(), left, right, over_gate ? left : right, {.config = config});
      const reference::Matrix y = reference::gated_activation(gate, up, reference::gate_function("silu"));
      reference::Matrix expected = both.values;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c)
          expected.at(r, over_gate ? c : cols + c) = y.at(r, c);
      expect_result(both.memory, expected, reference::elementwise_tolerance(element_type<bf16>));
    }
}

// Programs go along what lies together.
TEST(GateDetails, WhatProgramsGoAlong) {
  f32 *const none = nullptr;
  const auto along_columns = [](const MatrixView<f32> &y) { return kernels::detail::goes_along_columns(y); };
  EXPECT_FALSE(along_columns(MatrixView<f32>(none, 5, 4, 4, 1)));
  EXPECT_FALSE(along_columns(MatrixView<f32>(none, 1, 4, 1, 4)));
  EXPECT_TRUE(along_columns(MatrixView<f32>(none, 5, 4, 1, 5)));
  EXPECT_TRUE(along_columns(MatrixView<f32>(none, 5, 4, -1, 5)));
  EXPECT_TRUE(along_columns(MatrixView<f32>(none, 5, 1, 1, 1)));
}

TEST(GateDetails, Refuses) {
  Buffer<f32> memory(device(), 4096), more(device(), 4096), results(device(), 4096);
  const MatrixView<f32> gate(memory, 5, 4), up(more, 5, 4), y(results, 5, 4), dy(results.data() + 100, 5, 4),
      to_gate(results.data() + 200, 5, 4), to_up(results.data() + 300, 5, 4), flat(results.data(), 4, 5);
  auto forward = [&](const MatrixView<f32> &u, const MatrixView<f32> &to,
                     const GatedActivationOptions &options = {}) {
    kernels::gated_activation(device(), gate, u, to, options);
  };
  auto backward = [&](const MatrixView<f32> &u, const MatrixView<f32> &of_y, const MatrixView<f32> &g,
                      const MatrixView<f32> &of_up, const GatedActivationOptions &options = {}) {
    kernels::gated_activation_backward(device(), gate, u, of_y, {g, of_up}, options);
  };
  expect_refused("gated_activation: up has the shape [4, 5], gate [5, 4]", [&] { forward(flat, y); });
  expect_refused("gated_activation: y has the shape [4, 5], gate [5, 4]", [&] { forward(up, flat); });
  expect_refused("gated_activation: y overlaps gate, which is read while y is written",
                 [&] { forward(up, MatrixView<f32>(memory.data() + 1, 5, 4)); });
  expect_refused("gated_activation: y overlaps up, which is read while y is written",
                 [&] { forward(up, MatrixView<f32>(more.data(), 5, 4, 1, 5)); });
  expect_refused("gated_activation: y is written, but several of its elements share an address: its shape is "
                 "[5, 4], its strides are 0 and 1",
                 [&] { forward(up, MatrixView<f32>(results.data(), 5, 4, 0, 1)); });
  expect_refused("gated_activation: options.config: block_n is 0; it must be at least 1",
                 [&] { forward(up, y, {.config = {{.block_n = 0}}}); });
  expect_refused("gated_activation: options.config: block_m is -1; it must be at least 1",
                 [&] { forward(up, y, {.config = {{.block_m = -1}}}); });
  expect_refused("gated_activation_backward: up has the shape [4, 5], gate [5, 4]",
                 [&] { backward(flat, dy, to_gate, to_up); });
  expect_refused("gated_activation_backward: grad_y has the shape [4, 5], gate [5, 4]",
                 [&] { backward(up, flat, to_gate, to_up); });
  expect_refused("gated_activation_backward: grad_gate has the shape [4, 5], gate [5, 4]",
                 [&] { backward(up, dy, flat, to_up); });
  expect_refused("gated_activation_backward: grad_up has the shape [4, 5], gate [5, 4]",
                 [&] { backward(up, dy, to_gate, flat); });
  expect_refused(
      "gated_activation_backward: grad_up overlaps grad_gate, which is read while grad_up is written",
      [&] { backward(up, dy, to_gate, to_gate); });
  expect_refused(
      "gated_activation_backward: grad_gate overlaps grad_y, which is read while grad_gate is written",
      [&] { backward(up, dy, MatrixView<f32>(dy.data + 1, 5, 4), to_up); });
  expect_refused("gated_activation_backward: grad_up overlaps gate, which is read while grad_up is written",
                 [&] { backward(up, dy, to_gate, MatrixView<f32>(memory.data() + 1, 5, 4)); });
  expect_refused("gated_activation_backward: grad_gate is written, but several of its elements share an "
                 "address: its shape is [5, 4], its strides are 0 and 1",
                 [&] { backward(up, dy, MatrixView<f32>(to_gate.data, 5, 4, 0, 1), to_up); });
  expect_refused("gated_activation_backward: options.config: block_n is -2; it must be at least 1",
                 [&] { backward(up, dy, to_gate, to_up, {.config = {{.block_n = -2}}}); });
}

}   // namespace
}   // namespace tile
