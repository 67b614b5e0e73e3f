// SPDX-License-Identifier: MIT
// Gated activations and rotary position embeddings.
#include "tools/reference/row_functions.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace tile::reference {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logistic_slope(double x) { return 1 / (2 + std::exp(x) + std::exp(-x)); }

// x times a function that is 0 at -inf and 1 at inf, and decides what the product is there.
double times_share(double x, double share) { return std::isinf(x) && share == 0 ? 0 : x * share; }

double silu(double x) { return times_share(x, logistic(x)); }
double silu_slope(double x) { return logistic(x) + times_share(x, logistic_slope(x)); }

double exact_gelu(double x) { return times_share(x, std::erfc(-x / std::numbers::sqrt2) / 2); }
double exact_gelu_slope(double x) {
  const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return std::erfc(-x / std::numbers::sqrt2) / 2 + times_share(x, density);
}

// (1 + tanh(u)) / 2 and its derivative, u a polynomial of x.
std::pair<double, double> tanh_share(double x) {
  const double factor = std::sqrt(2 / std::numbers::pi);
  const double u = factor * (x + 0.044715 * x * x * x), slope = factor * (1 + 3 * 0.044715 * x * x);
  const double cosh = std::cosh(u);
  return {logistic(2 * u), std::isinf(cosh) ? 0 : slope / (2 * cosh * cosh)};
}
double tanh_gelu(double x) { return times_share(x, tanh_share(x).first); }
double tanh_gelu_slope(double x) {
  const auto [share, slope] = tanh_share(x);
  return share + times_share(x, slope);
}

double positive_part(double x) { return x > 0 || std::isnan(x) ? x : 0; }
double positive_slope(double x) { return std::isnan(x) ? x : x > 0 ? 1 : 0; }

}   // namespace

GateFunction gate_function(std::string_view name) {
  const std::array<std::pair<std::string_view, GateFunction>, 5> all{
      {{"silu", {silu, silu_slope}},
       {"gelu", {exact_gelu, exact_gelu_slope}},
       {"gelu_tanh", {tanh_gelu, tanh_gelu_slope}},
       {"relu", {positive_part, positive_slope}},
       {"sigmoid", {logistic, logistic_slope}}}};
  for (const auto &[known, function] : all)
    if (known == name)
      return function;
  throw std::logic_error("no function of gates has this name");
}

Matrix gated_activation(const Matrix &gate, const Matrix &up, const GateFunction &function) {
  Matrix y(gate.rows, gate.cols);
  count_work(2 * static_cast<double>(y.values.size()));
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = function.value(gate.values[i]) * up.values[i];
  return y;
}

GateGradients gate_gradients(const Matrix &gate, const Matrix &up, const Matrix &grad_y,
                             const GateFunction &function) {
  GateGradients result{Matrix(gate.rows, gate.cols), Matrix(gate.rows, gate.cols)};
  count_work(6 * static_cast<double>(gate.values.size()));
  for (std::size_t i = 0; i < gate.values.size(); ++i) {
    result.gate.values[i] = grad_y.values[i] * up.values[i] * function.slope(gate.values[i]);
    result.up.values[i] = grad_y.values[i] * function.value(gate.values[i]);
  }
  return result;
}

// A pair is a complex number; it is multiplied by one of length 1.
Matrix rotary_embedding(const Matrix &x, const Matrix &cosines, const Matrix &sines,
                        const RotaryShape &shape) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix y = x;
  count_work(2 * static_cast<double>(x.values.size()));
  const std::int64_t pairs = cosines.cols;
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const std::int64_t position = shape.positions[static_cast<std::size_t>(row)];
    const bool is_known = position >= 0 && position < cosines.rows;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const std::int64_t real = shape.is_interleaved ? 2 * pair : pair,
                         imaginary = shape.is_interleaved ? 2 * pair + 1 : pairs + pair;
      std::complex<double> angle(nan, nan);
      if (is_known)
        angle = {cosines.at(position, pair), sines.at(position, pair)};
      const std::complex<double> number(x.at(row, real), x.at(row, imaginary)),
          rotated = number * (shape.is_inverse ? std::conj(angle) : angle);
      y.at(row, real) = rotated.real();
      y.at(row, imaginary) = rotated.imag();
    }
  }
  return y;
}

}   // namespace tile::reference
