// SPDX-License-Identifier: MIT
// The rules of axis facts against brute force: random expressions over narrow integers, which wrap
// often, are computed element by element, and every fact claimed must hold of the values.
#include "compiler/analysis/axis_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace tile {
namespace {

constexpr unsigned Width = 8;
using Values = std::vector<std::int64_t>;   // as signed 8-bit integers

std::int64_t wrapped(std::int64_t v) { return static_cast<std::int8_t>(v); }

struct Known {
  Values values;
  AxisFacts facts;
};

std::string text(const Known &known) {
  const AxisFact &f = known.facts.axes[0];
  std::string s = "contiguity " + std::to_string(f.contiguity) + ", divisibility " +
                  std::to_string(f.divisibility) + ", constancy " + std::to_string(f.constancy) + ":";
  for (std::int64_t v : known.values)
    s += " " + std::to_string(v);
  return s;
}

void expectTrue(const Known &known) {
  ASSERT_EQ(known.facts.axes.size(), 1u);
  const AxisFact &fact = known.facts.axes[0];
  std::int64_t n = static_cast<std::int64_t>(known.values.size());
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t v = known.values[static_cast<std::size_t>(i)];
    std::int64_t start = known.values[static_cast<std::size_t>(i - i % fact.contiguity)];
    // Modulo 2^Width, in which any power of two from 2^Width on divides zero only.
    ASSERT_EQ(wrapped(start + i % fact.contiguity), v) << text(known);
    ASSERT_EQ(
        (start & ((std::int64_t(1) << Width) - 1)) % std::min<std::int64_t>(fact.divisibility, 1 << Width), 0)
        << text(known);
    ASSERT_EQ(known.values[static_cast<std::size_t>(i - i % fact.constancy)], v) << text(known);
    ASSERT_EQ(known.facts.constant.value_or(v), v) << text(known);
  }
}

class Expressions {
 public:
  Expressions(unsigned seed, std::int64_t extent) : random_(seed), extent_(extent) {}

  Known any(int depth) {
    if (depth == 0 || below(6) == 0)
      return leaf();
    Known a = any(depth - 1), b = any(depth - 1);
    switch (below(9)) {
    case 0:
      return apply(a, b, add(a.facts, b.facts, Width), [](auto x, auto y) { return x + y; });
    case 1:
      return apply(a, b, subtract(a.facts, b.facts, Width), [](auto x, auto y) { return x - y; });
    case 2:
      return apply(a, b, multiply(a.facts, b.facts, Width), [](auto x, auto y) { return x * y; });
    case 3:
      return apply(a, b, divide(a.facts, b.facts, exact(a, b)),
                   [](auto x, auto y) { return x / (y ? y : 1); });
    case 4:
      return apply(a, b, remainder(a.facts, b.facts, exact(a, b)),
                   [](auto x, auto y) { return x % (y ? y : 1); });
    case 5:
      return apply(a, b, minimum(a.facts, b.facts), [](auto x, auto y) { return std::min(x, y); });
    case 6: {
      Known c = any(depth - 1), d = any(depth - 1);
      Known condition = comparison(c, d);
      Known result{{}, select(condition.facts, a.facts, b.facts)};
      for (std::size_t i = 0; i < a.values.size(); ++i)
        result.values.push_back(condition.values[i] ? a.values[i] : b.values[i]);
      return result;
    }
    case 7: {   // where control flow meets it is one or the other as a whole
      Known result{below(2) ? a.values : b.values, join(a.facts, b.facts)};
      return result;
    }
    default:
      return comparison(a, b);
    }
  }

  Known comparison(const Known &a, const Known &b) {
    switch (below(5)) {
    case 0:
      return apply(a, b, compare(a.facts, b.facts, Comparison::Less), [](auto x, auto y) { return x < y; });
    case 1:
      return apply(a, b, compare(a.facts, b.facts, Comparison::LessEqual),
                   [](auto x, auto y) { return x > y; });
    case 2:
      return apply(a, b, compare(a.facts, b.facts, Comparison::LessEqual),
                   [](auto x, auto y) { return x <= y; });
    case 3:
      return apply(a, b, compare(a.facts, b.facts, Comparison::Less),
                   [](auto x, auto y) { return (x & 255) >= (y & 255); });   // unsigned
    default:
      return apply(a, b, compare(a.facts, b.facts, Comparison::Equality),
                   [](auto x, auto y) { return x == y; });
    }
  }

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

 private:
  Known leaf() {
    std::vector<std::int64_t> shape{extent_};
    switch (below(4)) {
    case 0: {
      std::int64_t first = static_cast<std::int64_t>(below(8) * below(9));
      Known result{{}, AxisFacts::ofRange(first, extent_)};
      for (std::int64_t i = 0; i < extent_; ++i)
        result.values.push_back(first + i);
      if (first + extent_ > 127)
        return leaf();   // a range does not wrap
      return result;
    }
    case 1: {
      std::int64_t v = wrapped(static_cast<std::int64_t>(below(256)));
      return {Values(static_cast<std::size_t>(extent_), v), AxisFacts::ofConstant(v, shape)};
    }
    default: {   // an argument of which some divisibility is promised
      std::int64_t divisor = std::int64_t(1) << below(6);
      AxisFacts scalar = AxisFacts::unknown(0);
      scalar.axes[0].divisibility = divisor;
      std::int64_t v = wrapped(static_cast<std::int64_t>(below(256)) * divisor);
      return {Values(static_cast<std::size_t>(extent_), v), splat(scalar, shape)};
    }
    }
  }

  // What a range analysis could know of these values.
  bool exact(const Known &a, const Known &b) {
    return std::ranges::all_of(a.values, [](auto v) { return v >= 0; }) &&
           std::ranges::all_of(b.values, [](auto v) { return v != 0; }) && below(8) != 0;
  }

  template <class F> static Known apply(const Known &a, const Known &b, AxisFacts facts, F &&f) {
    Known result{{}, std::move(facts)};
    for (std::size_t i = 0; i < a.values.size(); ++i)
      result.values.push_back(wrapped(f(a.values[i], b.values[i])));
    return result;
  }

  std::mt19937 random_;
  std::int64_t extent_;
};

TEST(AxisFacts, HoldOfRandomExpressions) {
  int runs = 0, uniform = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    constexpr std::int64_t Extents[] = {1, 8, 16, 24, 32, 48, 64};
    Expressions expressions(seed, Extents[seed % std::size(Extents)]);
    Known known = expressions.any(4);
    expectTrue(known);
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
    runs += known.facts.axes[0].contiguity > 1;
    uniform += known.facts.axes[0].constancy > 1 && !known.facts.constant;
  }
  // The rules claim something often enough to be worth testing.
  EXPECT_GT(runs, 500);
  EXPECT_GT(uniform, 2000);
}

TEST(AxisFacts, PowersOfTwoInNumbers) {
  EXPECT_EQ(powerOfTwoIn(24), 8);
  EXPECT_EQ(powerOfTwoIn(-24), 8);
  EXPECT_EQ(powerOfTwoIn(0), AxisFacts::MaxDivisibility);
  EXPECT_EQ(powerOfTwoIn(std::numeric_limits<std::int64_t>::min()), AxisFacts::MaxDivisibility);
}

TEST(AxisFacts, ExtensionKeepsRunsThatDoNotWrap) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Expressions expressions(seed, 32);
    Known known = expressions.any(3);
    AxisFact fact = extend(known.facts).axes[0];
    for (std::int64_t i = 0; i < 32; ++i)   // in the integers, without wrap
      ASSERT_EQ(known.values[static_cast<std::size_t>(i - i % fact.contiguity)] + i % fact.contiguity,
                known.values[static_cast<std::size_t>(i)])
          << "seed " << seed << " " << text(known);
  }
}

// What vectorises the loads of a matrix product: p + (pid * 128 + arange) % m, m divisible by 16.
TEST(AxisFacts, WrappedRowsStayContiguousWhereNothingIsNegative) {
  AxisFacts pid = AxisFacts::unknown(0), m = AxisFacts::unknown(0);
  m.axes[0].divisibility = 16;
  AxisFacts first = splat(multiply(pid, AxisFacts::ofConstant(128, {}), 32), {128});
  AxisFacts rows = add(first, AxisFacts::ofRange(0, 128), 32);
  EXPECT_EQ(rows.axes[0], (AxisFact{128, 128, 1}));
  EXPECT_EQ(remainder(rows, splat(m, {128}), false).axes[0].contiguity, 1);
  EXPECT_EQ(remainder(rows, splat(m, {128}), true).axes[0], (AxisFact{16, 16, 1}));
  EXPECT_EQ(divide(rows, splat(m, {128}), true).axes[0].constancy, 16);
}

TEST(AxisFacts, PointersCountBytesAndElements) {
  AxisFacts pointer = AxisFacts::unknown(0);
  pointer.axes[0].divisibility = 16;
  AxisFacts p = addToPointer(splat(pointer, {64}), AxisFacts::ofRange(0, 64), 2);
  EXPECT_EQ(p.axes[0].contiguity, 64);
  EXPECT_EQ(p.axes[0].divisibility, 16);
  AxisFacts far = addToPointer(splat(pointer, {64}), AxisFacts::ofRange(4, 64), 2);
  EXPECT_EQ(far.axes[0].divisibility, 8);
}

TEST(AxisFacts, TilesOfTwoAxesKeepBoth) {
  AxisFacts columns = expandDims(AxisFacts::ofRange(0, 64), 0);
  AxisFacts tile = broadcast(columns, {1, 64}, {32, 64});
  EXPECT_EQ(tile.axes[0], (AxisFact{1, 1, 32}));
  EXPECT_EQ(tile.axes[1], (AxisFact{64, AxisFacts::MaxDivisibility, 1}));
  EXPECT_EQ(permute(tile, {1, 0}).axes[0], tile.axes[1]);
}

}   // namespace
}   // namespace tile
