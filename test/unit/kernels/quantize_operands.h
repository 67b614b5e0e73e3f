// SPDX-License-Identifier: MIT
// Matrices for tests of quantising, and comparisons with the reference, bit by bit.
#pragma once

#include "row_operands.h"
#include "tools/reference/quantize.h"

#include <tile/quantize.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

namespace tile {

inline reference::Matrix random_numbers(std::int64_t rows, std::int64_t cols, double factor = 3) {
  std::mt19937_64 source(static_cast<std::uint64_t>(rows * 1009 + cols));
  reference::Matrix values = reference::random_matrix(rows, cols, element_type<f32>, source);
  for (double &value : values.values)
    value *= factor;
  return values;
}

inline reference::Matrix transposed(const reference::Matrix &x) {
  reference::Matrix result(x.cols, x.rows);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      result.at(j, i) = x.at(i, j);
  return result;
}

inline std::string shape_of(const reference::Matrix &x) {
  return std::to_string(x.rows) + " x " + std::to_string(x.cols);
}

// The tests run on both devices of the CPU.
class OnDevices : public ::testing::TestWithParam<const char *> {
 protected:
  Device &on() { return *device_; }

 private:
  std::unique_ptr<Device> device_ = open_device(GetParam());
};

// A matrix that is quantised, where all of it is put, and what is expected there.
template <class T, class Q> struct QuantizeCase {
  Device &device;
  reference::Placement x_at = {}, q_at = {}, scales_at = {};

  // call(x, q, scales) writes the results for the form. Returns what it wrote.
  template <class Call>
  reference::Quantized check(const reference::Matrix &values, const reference::QuantizedForm &form,
                             Call call) const {
    SCOPED_TRACE(std::string(element_type<T>.name()) + " to " + element_type<Q>.name() + " " +
                 shape_of(values));
    reference::Placed<T> x(device, "x", values.rows, values.cols, x_at);
    reference::Placed<Q> q(device, "q", values.rows, values.cols, q_at);
    const reference::Matrix exact = x.fill(values);
    const reference::Quantized expected = reference::quantized(exact, form);
    reference::Placed<f32> scales(device, "scales", expected.scales.rows, expected.scales.cols, scales_at);
    q.poison();
    scales.poison();
    call(MatrixView<const T>(x.view()), q.view(), scales.view());
    device.synchronize();
    expect_result(q, expected.q, {});
    expect_result(scales, expected.scales, {});
    return {q.download(), scales.download()};
  }
};

template <class Q> reference::QuantizedForm of_rows() { return {.type = element_type<Q>}; }
template <class Q> reference::QuantizedForm of_lines() {
  return {.type = element_type<Q>, .block_rows = 1, .block_cols = 128};
}
template <class Q> reference::QuantizedForm of_squares() {
  return {.type = element_type<Q>, .block_rows = 128, .block_cols = 128};
}

template <class T, class Q> struct Types {
  using From = T;
  using To = Q;
};
template <class F> void for_all_types(F f) {
  f(Types<f32, e4m3>()), f(Types<f32, e5m2>()), f(Types<f32, i8>());
  f(Types<f16, e4m3>()), f(Types<f16, e5m2>()), f(Types<f16, i8>());
  f(Types<bf16, e4m3>()), f(Types<bf16, e5m2>()), f(Types<bf16, i8>());
}
template <class F> void for_some_types(F f) {
  f(Types<bf16, e4m3>()), f(Types<f32, e5m2>()), f(Types<f16, i8>());
}

}   // namespace tile
