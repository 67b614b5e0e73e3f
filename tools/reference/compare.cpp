// SPDX-License-Identifier: MIT
// Inputs, tolerances and verdicts.
#include "tools/reference/compare.h"

#include "runtime/numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace tile::reference {

Matrix random_matrix(std::int64_t rows, std::int64_t cols, ElementType type, std::mt19937_64 &source) {
  Matrix m(rows, cols);
  // A prime number, so that rows begin at other places of it: large matrices repeat what small ones have.
  constexpr std::size_t period = 1048573;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    double &value = m.values[i];
    if (i >= period) {
      value = m.values[i - period];
      continue;
    }
    const std::uint64_t bits = source();
    if (type.is_integer())
      value = static_cast<double>(bits >> 56) - (type.is_unsigned() ? 0 : 128);
    else
      value = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  }
  return m;
}

std::string Tolerance::text() const {
  if (relative == 0 && absolute == 0)
    return "exact";
  return fmt::format("{:g} + {:g}% of the value", absolute, relative * 100);
}

Tolerance elementwise_tolerance(ElementType out) {
  switch (out.kind) {
  case Kind::F64:
  case Kind::F32:
    return {1e-5, 1e-6};
  case Kind::F16:
    return {2e-3, 1e-6};
  case Kind::BF16:
    return {1e-2, 1e-6};
  case Kind::E4M3:
    return {0.13, 0x1p-9};   // one step of a 3-bit mantissa, or of a subnormal
  case Kind::E5M2:
    return {0.26, 0x1p-16};
  default:
    return {};
  }
}

// Differences from a mean lose what they have in common with it: the error is one of the inputs' size,
// about 1.
Tolerance layer_norm_tolerance(ElementType out) {
  return {elementwise_tolerance(out).relative, out.kind == Kind::F32 ? 1e-5 : 1e-2};
}

// Each weight is off by half a step of its own, the mean by one of the result's.
Tolerance attention_tolerance(ElementType type) {
  return {elementwise_tolerance(type).relative, type.kind == Kind::BF16 ? 1e-2 : 2e-3};
}

// And so is each difference of weights.
Tolerance attention_gradient_tolerance(ElementType type) {
  return {elementwise_tolerance(type).relative, type.kind == Kind::BF16 ? 4e-2 : 5e-3};
}

Tolerance product_tolerance(ElementType in, ElementType out, std::int64_t k) {
  if (out.is_integer())
    return {};
  if (out.kind != Kind::F32)
    return {std::max(0.01, elementwise_tolerance(out).relative), 1e-2};
  // Sums of f32 products: each of k additions may be off by half a step of a sum of size sqrt(k).
  if (in.kind == Kind::F32)
    return {1e-5, 1e-7 * static_cast<double>(std::max<std::int64_t>(k, 10))};
  return {0.01, 1e-3};
}

Tolerance interpreter_tolerance(ElementType out, const Matrix &expected, SmallFloats multiplied) {
  if (out.is_integer())
    return {};
  double largest = 0;
  for (const double value : expected.values)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  constexpr double of_small_floats = 1e-3;   // some roundings of 2^-13
  const double own = elementwise_tolerance(out).relative;
  const double step = multiplied == SmallFloats::yes ? std::max(own, of_small_floats) : own;
  return {2 * step, step * largest};
}

// A step of a hash.
static std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  constexpr std::uint64_t prime = 0x100000001b3;
  return (hash ^ (next + (next >> 32))) * prime;
}

void Verdict::add(const Verdict &other) {
  elements += other.elements;
  wrong += other.wrong;
  largest_error = std::max(largest_error, other.largest_error);
  if (first_wrong.empty())
    first_wrong = other.first_wrong;
  sampled_rows += other.sampled_rows;
  rows += other.rows;
  bits = mixed(bits, other.bits);
}

std::string Verdict::compared() const {
  return fmt::format("{} elements compared", elements) +
         (sampled_rows < rows ? fmt::format(", of {} sampled rows of {}", sampled_rows, rows) : "");
}

static double rounded(double value, ElementType type) {
  switch (type.kind) {
  case Kind::F16:
    return numeric::cast<double>(numeric::cast<f16>(value));
  case Kind::BF16:
    return numeric::cast<double>(numeric::cast<bf16>(value));
  case Kind::F32:
    return numeric::cast<double>(numeric::cast<f32>(value));
  case Kind::E4M3:
    return numeric::cast<double>(numeric::cast<e4m3>(value));
  case Kind::E5M2:
    return numeric::cast<double>(numeric::cast<e5m2>(value));
  default:
    return value;
  }
}

Verdict compare(std::string_view name, const Matrix &got, const Matrix &expected, ElementType type,
                Tolerance tolerance, std::span<const std::int64_t> rows) {
  Verdict verdict;
  verdict.elements = static_cast<std::int64_t>(got.values.size());
  if (got.rows != expected.rows || got.cols != expected.cols) {
    verdict.wrong = 1;
    verdict.first_wrong = fmt::format("{} is {} x {}, expected {} x {}", name, got.rows, got.cols,
                                      expected.rows, expected.cols);
    return verdict;
  }
  for (std::int64_t r = 0; r < got.rows; ++r)
    for (std::int64_t c = 0; c < got.cols; ++c) {
      verdict.bits = mixed(verdict.bits, std::bit_cast<std::uint64_t>(got.at(r, c)));
      const double is = got.at(r, c), should = rounded(expected.at(r, c), type),
                   error = std::abs(is - should);
      if (std::isfinite(error))
        verdict.largest_error = std::max(verdict.largest_error, error);
      const bool same = is == should || (std::isnan(is) && std::isnan(should));
      const bool near =
          std::isfinite(should) && error <= tolerance.absolute + tolerance.relative * std::abs(should);
      if (same || near)
        continue;
      if (verdict.wrong++ == 0)
        verdict.first_wrong =
            fmt::format("{}[{}, {}] is {:g}, expected {:g}", name,
                        rows.empty() ? r : rows[static_cast<std::size_t>(r)], c, is, should);
    }
  return verdict;
}

Verdict untouched(std::string_view name, std::int64_t overwritten_bytes) {
  Verdict verdict;
  if (overwritten_bytes) {
    verdict.wrong = 1;
    verdict.first_wrong = fmt::format("{} bytes around {} were overwritten", overwritten_bytes, name);
  }
  return verdict;
}

}   // namespace tile::reference
