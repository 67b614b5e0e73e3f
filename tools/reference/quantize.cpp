// SPDX-License-Identifier: MIT
#include "tools/reference/quantize.h"

#include "runtime/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tile::reference {
namespace {

double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

template <class Q> double rounded_to(double value) {
  return numeric::cast<double>(numeric::cast<Q>(static_cast<float>(value)));
}
double rounded(double value, ElementType type) {
  if (type == element_type<e4m3>)
    return rounded_to<e4m3>(value);
  if (type == element_type<e5m2>)
    return rounded_to<e5m2>(value);
  if (type == element_type<i8>)
    return rounded_to<i8>(std::nearbyint(value));
  throw std::logic_error("no type of quantised elements");
}

double largest_of(ElementType type) {
  return type == element_type<e4m3> ? 448 : type == element_type<e5m2> ? 57344 : 127;
}

double scale_of(double absmax, const QuantizedForm &form) {
  double scale = std::max(as_f32(absmax / largest_of(form.type)), form.least_scale);
  if (std::isnan(absmax))
    scale = absmax;
  if (form.powers_of_two && std::isfinite(scale)) {
    int exponent = 0;   // scale is a fraction from 0.5 to below 1, times two to this
    const double fraction = std::frexp(scale, &exponent);
    scale = std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
  }
  return scale;
}

// The scale of an element.
template <class M> auto &scale_at(M &scales, const QuantizedForm &form, std::int64_t row, std::int64_t col) {
  return scales.values[static_cast<std::size_t>(row / form.block_rows * scales.cols +
                                                (form.block_cols == 0 ? 0 : col / form.block_cols))];
}

}   // namespace

Quantized quantized(const Matrix &x, const QuantizedForm &form) {
  Matrix scales((x.rows + form.block_rows - 1) / form.block_rows, form.scales_of_row(x.cols));
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) {
      double &absmax = scale_at(scales, form, i, j);
      const double size = std::abs(x.at(i, j));
      if (std::isnan(size) && form.type == element_type<i8>)
        absmax = size;   // it stays: nothing is larger
      else if (size > absmax)
        absmax = size;
    }
  for (double &scale : scales.values)
    scale = scale_of(scale, form);
  return {quantized_by(x, scales, form), scales};
}

Matrix quantized_by(const Matrix &x, const Matrix &scales, const QuantizedForm &form) {
  Matrix q(x.rows, x.cols);
  count_work(work_of_quantizing * static_cast<double>(x.values.size()));
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      q.at(i, j) = rounded(as_f32(x.at(i, j) * as_f32(1 / scale_at(scales, form, i, j))), form.type);
  return q;
}

}   // namespace tile::reference
