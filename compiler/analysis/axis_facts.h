// SPDX-License-Identifier: MIT
// What is known about the integers (or addresses) of a tile, axis by axis, and how arithmetic carries it
// on. From these facts follow the width of memory accesses and where a mask is uniform.
//
// Along an axis, with the other coordinates fixed and all numbers powers of two:
//
//     contiguity c     in each aligned group of c elements the values count up by one
//     divisibility d   the first value of each such group is a multiple of d
//     constancy k      in each aligned group of k elements the values are equal
//
//     values       8 9 10 11  24 25 26 27      c = 4, d = 8, k = 1
//     values / 8   1 1  1  1   3  3  3  3      c = 1, d = 1, k = 4
//
// Values are integers modulo 2^width, in which only powers of two divide reliably; so a wrap
// breaks none of this. Where a rule needs to know more of the numbers, the caller says it.
//
// Plain C++, so that every rule is tested against brute force.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tile {

struct AxisFact {
  std::int64_t contiguity = 1, divisibility = 1, constancy = 1;
  bool operator==(const AxisFact &) const = default;
};

struct AxisFacts {
  static constexpr std::int64_t MaxDivisibility = std::int64_t(1) << 62;   // of zero

  std::vector<AxisFact> axes;             // a scalar has one axis, of extent 1
  std::optional<std::int64_t> constant;   // every element has this value
  bool operator==(const AxisFacts &) const = default;

  static AxisFacts unknown(std::size_t rank);
  // `shape` empty: a scalar.
  static AxisFacts ofConstant(std::int64_t value, const std::vector<std::int64_t> &shape);
  static AxisFacts ofRange(std::int64_t first, std::int64_t extent);

  // The power of two that divides each single element.
  std::int64_t elementDivisibility(std::size_t axis) const;
};

// The largest power of two that divides n; of 0 the largest there is.
std::int64_t powerOfTwoIn(std::int64_t n);

// What holds for both: where control flow meets.
AxisFacts join(const AxisFacts &a, const AxisFacts &b);

// Integers of `width` bits.
AxisFacts add(const AxisFacts &a, const AxisFacts &b, unsigned width);
AxisFacts subtract(const AxisFacts &a, const AxisFacts &b, unsigned width);
AxisFacts multiply(const AxisFacts &a, const AxisFacts &b, unsigned width);
// Truncating quotient and remainder. `exact`: the dividend is not negative (or the operation unsigned)
// and the divisor not zero, which would act as 1; little is known otherwise.
AxisFacts divide(const AxisFacts &a, const AxisFacts &b, bool exact);
AxisFacts remainder(const AxisFacts &a, const AxisFacts &b, bool exact);
// Signed or unsigned. `a < b` and `a >= b` are answered alike by a run on the left and a bound that is a
// multiple of its length; `a <= b` and `a > b` by a run on the right; == and != by neither.
enum class Comparison { Less, LessEqual, Equality };
AxisFacts compare(const AxisFacts &a, const AxisFacts &b, Comparison comparison);
AxisFacts minimum(const AxisFacts &a, const AxisFacts &b);
// Any other function of both, element by element: equal operands give equal results.
AxisFacts elementwise(const AxisFacts &a, const AxisFacts &b);
// The value of either arm, by a condition.
AxisFacts select(const AxisFacts &condition, const AxisFacts &a, const AxisFacts &b);
// From `width` bits to more; a run of numbers may wrap in the narrow type.
AxisFacts extend(const AxisFacts &a);
AxisFacts truncate(const AxisFacts &a, unsigned width);
// Byte addresses `elementBytes` apart: of a pointer, divisibility is of the address and contiguity of
// elements.
AxisFacts addToPointer(const AxisFacts &pointer, const AxisFacts &offset, std::int64_t elementBytes);

AxisFacts splat(const AxisFacts &scalar, const std::vector<std::int64_t> &shape);
AxisFacts broadcast(const AxisFacts &a, const std::vector<std::int64_t> &from,
                    const std::vector<std::int64_t> &to);
AxisFacts expandDims(const AxisFacts &a, std::size_t axis);
AxisFacts permute(const AxisFacts &a, const std::vector<std::size_t> &order);

}   // namespace tile
