// SPDX-License-Identifier: MIT
// The functions of gates, with the names that the references know.
#pragma once

#include <tile/gates.h>

#include <array>

namespace tile {

struct NamedGate {
  kernels::GateActivation activation;
  const char *name;
};
inline constexpr std::array<NamedGate, 5> gate_activations{{{kernels::GateActivation::silu, "silu"},
                                                            {kernels::GateActivation::gelu, "gelu"},
                                                            {kernels::GateActivation::gelu_tanh, "gelu_tanh"},
                                                            {kernels::GateActivation::relu, "relu"},
                                                            {kernels::GateActivation::sigmoid, "sigmoid"}}};

}   // namespace tile
