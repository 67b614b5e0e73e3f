// SPDX-License-Identifier: MIT
// The reference product, in double precision and plain order.
#include "product.h"

#include <cmath>

namespace tile::conformance {

std::vector<double> multiply(const MatrixView &a, const MatrixView &b, const MatrixView *acc, std::size_t m,
                             std::size_t n, std::size_t k) {
  // Decoded once: a 16-bit number costs a walk through its bits.
  std::vector<double> left(m * k), right(k * n), result(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      left[i * k + l] = static_cast<double>(a(i, l));
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j)
      right[l * n + j] = static_cast<double>(b(l, j));
  for (std::size_t i = 0; i < m; ++i) {
    double *row = &result[i * n];
    for (std::size_t j = 0; j < n; ++j)
      row[j] = acc ? static_cast<double>((*acc)(i, j)) : 0;
    for (std::size_t l = 0; l < k; ++l) {
      const double factor = left[i * k + l];
      const double *other = &right[l * n];
      for (std::size_t j = 0; j < n; ++j)
        row[j] += factor * other[j];
    }
  }
  return result;
}

Tolerance product_tolerance(ElementType operand, ElementType result, std::size_t k) {
  if (result.kind == Kind::F16 || result.kind == Kind::BF16)
    return {.relative = 0.01, .absolute = 1e-2};
  if (result.kind == Kind::F64)
    return {.relative = 1e-12, .absolute = 1e-12};
  if (result.kind == Kind::I32)
    return {};
  // tf32 drops up to 2^-10 of each factor. Products of numbers in [-4, 4) are about 5, so each is off
  // by about 0.01 in either direction, and k of them by sqrt(k) times that.
  if (operand.kind == Kind::F32)
    return {.relative = 0.01, .absolute = 0.01 * std::sqrt(static_cast<double>(k))};
  // Of 8-bit floats matrix units may add up fewer bits than f32 has.
  return {.relative = 0.01, .absolute = operand.bytes() == 1 ? 1e-2 : 1e-3};
}

Array exact_inputs(Context &t, ElementType type, std::size_t n) {
  Array values(type, n);
  for (std::size_t i = 0; i < n; ++i)
    values.set_integer(i, t.between(type.is_unsigned() ? 0 : -2, 2));
  return values;
}

}   // namespace tile::conformance
