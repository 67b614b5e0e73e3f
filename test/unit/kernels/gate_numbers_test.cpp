// SPDX-License-Identifier: MIT
// Gated activations of numbers of any size, infinities and NaN, and the same functions in products.
#include "gate_activations.h"
#include "row_operands.h"

#include <tile/gates.h>
#include <tile/matmul.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tile {
namespace {

using kernels::GateActivation;
using kernels::GatedActivationOptions;

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

GatedActivationOptions with(const NamedGate &named) {
  return {.activation = named.activation, .config = {{.block_n = 32}}};
}

// What the kernels give for these gates, with up and grad_y alike for all.
void check_numbers(const NamedGate &named, const std::vector<double> &gates, double up, double grad_y) {
  SCOPED_TRACE(named.name);
  const auto cols = static_cast<std::int64_t>(gates.size());
  reference::Placed<f32> gate(device(), "gate", 1, cols), ups(device(), "up", 1, cols),
      dy(device(), "grad_y", 1, cols);
  const reference::Matrix exact = gate.fill(as_row(gates)),
                          of_up = ups.fill(as_row(std::vector(gates.size(), up))),
                          of_y = dy.fill(as_row(std::vector(gates.size(), grad_y)));
  Written<f32> y("y", 1, cols), grad_gate("grad_gate", 1, cols), grad_up("grad_up", 1, cols);
  kernels::gated_activation(device(), gate.view(), ups.view(), y.view(), with(named));
  kernels::gated_activation_backward(device(), gate.view(), ups.view(), dy.view(),
                                     {grad_gate.view(), grad_up.view()}, with(named));
  const reference::GateFunction function = reference::gate_function(named.name);
  const auto expected = reference::gate_gradients(exact, of_up, of_y, function);
  const reference::Tolerance tolerance{2e-5, 1e-6};
  expect_result(y.memory, reference::gated_activation(exact, of_up, function), tolerance);
  expect_result(grad_gate.memory, expected.gate, tolerance);
  expect_result(grad_up.memory, expected.up, tolerance);
}

// The functions have limits, so an infinite gate gives no NaN; a gate of NaN gives NaN.
TEST(GateNumbers, LargeInfiniteAndNan) {
  std::vector<double> gates{0, nan};
  for (double size : {1e-38, 1e-20, 1e-3, 1.0, 5.0, 9.0, 15.0, 40.0, 87.0, 89.0, 104.0, 200.0, 1e4, 1e10,
                      1e13, 1e20, 3e38, infinity})
    gates.insert(gates.end(), {size, -size});
  for (const NamedGate &named : gate_activations)
    check_numbers(named, gates, 0.75, -0.5);
}

// The limits, by hand: the reference may be wrong as well.
TEST(GateNumbers, Limits) {
  const auto at = [&](const NamedGate &named, double gate) {
    reference::Placed<f32> g(device(), "gate", 1, 1), u(device(), "up", 1, 1), y(device(), "y", 1, 1),
        to_gate(device(), "grad_gate", 1, 1), to_up(device(), "grad_up", 1, 1);
    g.fill(as_row({gate}));
    u.fill(as_row({2}));
    kernels::gated_activation(device(), g.view(), u.view(), y.view(), with(named));
    kernels::gated_activation_backward(device(), g.view(), u.view(), u.view(), {to_gate.view(), to_up.view()},
                                       with(named));
    return std::array{y.download().at(0, 0), to_gate.download().at(0, 0), to_up.download().at(0, 0)};
  };
  for (const NamedGate &named : gate_activations) {
    SCOPED_TRACE(named.name);
    const bool is_share = named.activation == GateActivation::sigmoid;
    EXPECT_EQ(at(named, infinity),
              (is_share ? std::array{2.0, 0.0, 2.0} : std::array{infinity, 4.0, infinity}));
    EXPECT_EQ(at(named, -infinity), (std::array{0.0, 0.0, 0.0}));
    for (double result : at(named, nan))
      EXPECT_TRUE(std::isnan(result));
    const bool is_relu = named.activation == GateActivation::relu;
    EXPECT_EQ(at(named, 0.0), (is_share  ? std::array{1.0, 1.0, 1.0}
                               : is_relu ? std::array{0.0, 0.0, 0.0}
                                         : std::array{0.0, 2.0, 0.0}));
  }
}

// A small slope comes between two large factors, of which the product alone is infinite.
TEST(GateNumbers, LargeFactors) {
  for (std::size_t i : {0, 4})
    check_numbers(gate_activations[i], {-60}, 1e25, 1e25);
}

TEST(GateNumbers, NanAndInfinityOfTheOthers) {
  for (double number : {nan, infinity, -infinity}) {
    check_numbers(gate_activations[0], {1, -2}, number, 3);
    check_numbers(gate_activations[0], {1, -2}, 3, number);
  }
}

// As activations of products: here of a matrix with the identity.
TEST(GateNumbers, ActivationsOfProducts) {
  constexpr std::int64_t rows = 5, cols = 16;
  const Filled<f16> x("x", rows, cols, {}, 1, 6);
  reference::Placed<f16> identity(device(), "identity", cols, cols);
  reference::Matrix one(cols, cols);
  for (std::int64_t i = 0; i < cols; ++i)
    one.at(i, i) = 1;
  identity.fill(one);
  Written<f32> y("y", rows, cols), z("z", rows, cols);
  kernels::matmul<kernels::silu>(device(), x.view(), identity.view(), y.view());
  kernels::matmul<kernels::gelu_tanh>(device(), x.view(), identity.view(), z.view());
  reference::Matrix ones(rows, cols);
  std::ranges::fill(ones.values, 1.0);
  for (const auto &[result, name] : {std::pair{&y, "silu"}, {&z, "gelu_tanh"}})
    expect_result(result->memory, reference::gated_activation(x.values, ones, reference::gate_function(name)),
                  reference::elementwise_tolerance(element_type<f32>));
}

}   // namespace
}   // namespace tile
