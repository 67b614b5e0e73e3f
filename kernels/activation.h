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

// A function of x, and its derivative at x.
struct WithSlope {
  Tensor<f32> value, slope;
};

// 0 stays 0 beside an infinity: for limits such as x / exp(-x) at -inf.
inline Tensor<f32> times(const Tensor<f32> &x, const Tensor<f32> &factor) {
  return where(factor == 0.0f, 0.0f, x * factor);
}

// The power is of a number that is not positive, so it is at most 1, and never infinite.
inline WithSlope sigmoid_with_slope(const Tensor<f32> &x) {
  auto power = exp(-abs(x)), large = fdiv_approx(1.0f, 1.0f + power), small = power * large;
  return {where(x < 0.0f, small, large), small * large};
}
inline WithSlope silu_with_slope(const Tensor<f32> &x) {
  const WithSlope gate = sigmoid_with_slope(x);
  return {times(x, gate.value), gate.value + times(x, gate.slope)};
}
// (1 + tanh(u)) / 2 is sigmoid(2 u), with all digits for a negative u as well.
inline WithSlope gelu_tanh_with_slope(const Tensor<f32> &x) {
  constexpr double twice_root = 1.5957691216057308, cubic = 0.044715;   // 2 sqrt(2 / pi)
  auto square = x * x;
  const WithSlope gate = sigmoid_with_slope(x * (twice_root * cubic * square + twice_root));
  auto inner = 3 * twice_root * cubic * square + twice_root;
  return {times(x, gate.value), gate.value + times(x * inner, gate.slope)};
}
inline WithSlope gelu_with_slope(const Tensor<f32> &x) {
  auto share = 0.5f + 0.5f * erf(x * 0.70710678118654752), density = 0.3989422804014327 * exp(-0.5f * x * x);
  return {times(x, share), share + times(x, density)};
}
// Unlike maximum(x, 0), it keeps a NaN.
inline WithSlope relu_with_slope(const Tensor<f32> &x) {
  return {where(x <= 0.0f, 0.0f, x), where(x <= 0.0f, 0.0f, where(x > 0.0f, 1.0f, x))};
}

}   // namespace detail

// x * sigmoid(x); 0 at -inf.
inline Tensor<f32> silu(const Tensor<f32> &x) { return detail::silu_with_slope(x).value; }

// gelu with tanh in place of erf: x / 2 * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); 0 at -inf.
inline Tensor<f32> gelu_tanh(const Tensor<f32> &x) { return detail::gelu_tanh_with_slope(x).value; }

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
