// SPDX-License-Identifier: MIT
// Inputs, tolerances and verdicts of runs that are checked against a reference.
#pragma once

#include "runtime/element.h"
#include "tools/reference/matrix.h"

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace tile::reference {

// The same numbers on every machine: floats evenly in [-1, 1), integers over all of their 8 bits.
Matrix random_matrix(std::int64_t rows, std::int64_t cols, ElementType type, std::mt19937_64 &source);

// |got - expected| <= absolute + relative * |expected|
struct Tolerance {
  double relative = 0, absolute = 0;
  std::string text() const;   // "0.001 + 1% of the value", "exact"
};
// Of sums of k products, when the inputs are exact in the reference.
Tolerance product_tolerance(ElementType in, ElementType out, std::int64_t k);
// Of results that are computed in f32 and rounded once.
Tolerance elementwise_tolerance(ElementType out);
Tolerance layer_norm_tolerance(ElementType out);
// Of weighted means of numbers in [-1, 1), the weights rounded to the same type.
Tolerance attention_tolerance(ElementType type);
Tolerance attention_gradient_tolerance(ElementType type);

// Of what the interpreter computes of an unknown kernel: sums in another order differ by what the largest of
// their terms is rounded by. `yes`: the kernel may multiply 8-bit floats, of whose sums a matrix unit keeps
// 13 bits.
enum class SmallFloats : std::uint8_t { no, yes };
Tolerance interpreter_tolerance(ElementType out, const Matrix &expected, SmallFloats multiplied);

struct Verdict {
  std::int64_t elements = 0, wrong = 0;
  double largest_error = 0;   // of all pairs that are finite
  std::string first_wrong;    // "c[3, 5] is 1.25, expected 1.5"; empty when all agree
  // Where not all rows of a result were compared: how many were, and how many it has.
  std::int64_t sampled_rows = 0, rows = 0;
  std::uint64_t bits = 0;   // a hash of what was compared: of other results, very likely another one
  bool passed() const { return wrong == 0; }
  void add(const Verdict &other);
  std::string compared() const;   // "96 elements compared", "96 elements compared, of 4 sampled rows of 900"
};

// `expected` is rounded to the elements' type first, so that what overflows there is infinite here. A
// NaN matches a NaN, an infinity its like. `rows`: which rows of a larger matrix these are.
Verdict compare(std::string_view name, const Matrix &got, const Matrix &expected, ElementType type,
                Tolerance tolerance, std::span<const std::int64_t> rows = {});
// Bytes around `name` that a kernel has overwritten.
Verdict untouched(std::string_view name, std::int64_t overwritten_bytes);

}   // namespace tile::reference
