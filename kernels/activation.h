// SPDX-License-Identifier: MIT
// Functions that a product applies to its accumulator before it rounds and stores it. An activation is an
// ordinary C++ function from tile to tile. It is a template argument, so it is traced into the kernel and
// costs no call.
//
//   kernels::matmul<kernels::leaky_relu<f32>>(device, a, b, c);
//
//   Tensor<f32> squared(const Tensor<f32> &x) { return x * x; }
//   kernels::gemm<squared>(device, a, b, c);
#pragma once

#include <tile/dsl.h>

#include <type_traits>

namespace tile::kernels {

// The type in which products of elements T are summed.
template <class T>
using Accumulator =
    std::conditional_t<std::is_integral_v<T>, i32, std::conditional_t<std::is_same_v<T, f64>, f64, f32>>;

struct NoActivation {};
inline constexpr NoActivation no_activation{};

template <class T> Tensor<T> relu(const Tensor<T> &x) { return maximum(x, 0); }

// x where it is not negative, else x / 100; for integers the quotient is truncated.
template <class T> Tensor<T> leaky_relu(const Tensor<T> &x) {
  if constexpr (std::is_integral_v<T>)
    return where(x >= 0, x, x / 100);
  else
    return where(x >= 0, x, x * 0.01);
}

// x * Phi(x), with the exact Phi of the normal distribution.
inline Tensor<f32> gelu(const Tensor<f32> &x) { return 0.5 * x * (1.0 + erf(x * 0.70710678118654752)); }

namespace detail {
template <auto Activation, class T> Tensor<T> activate(const Tensor<T> &x) {
  if constexpr (std::is_same_v<std::remove_const_t<decltype(Activation)>, NoActivation>) {
    return x;
  } else {
    static_assert(
        std::is_invocable_r_v<Tensor<T>, decltype(Activation), const Tensor<T> &>,
        "an activation must take a tile of the accumulator's type (f32; i32 for integers) and return one");
    return Activation(x);
  }
}
}   // namespace detail

}   // namespace tile::kernels
