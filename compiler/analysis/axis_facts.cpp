// SPDX-License-Identifier: MIT
#include "compiler/analysis/axis_facts.h"

#include <algorithm>
#include <cassert>

namespace tile {
namespace {

// The divisibility of values at multiples of `group`, which may be finer than the runs: of 8 9 10 11
// every second value is a multiple of 2.
std::int64_t divisibilityAt(const AxisFact &fact, std::int64_t group) {
  return fact.contiguity > group ? std::min(fact.divisibility, group) : fact.divisibility;
}

std::int64_t product(std::int64_t a, std::int64_t b) {   // of powers of two
  return a > AxisFacts::MaxDivisibility / b ? AxisFacts::MaxDivisibility : a * b;
}

// The largest value of a signed integer of this width.
std::int64_t largest(unsigned width) {
  return width >= 64 ? INT64_MAX : (std::int64_t(1) << (width - 1)) - 1;
}

template <class Rule> AxisFacts perAxis(const AxisFacts &a, const AxisFacts &b, Rule &&rule) {
  assert(a.axes.size() == b.axes.size());
  AxisFacts result;
  for (std::size_t i = 0; i < a.axes.size(); ++i)
    result.axes.push_back(rule(a.axes[i], b.axes[i]));
  return result;
}

// A constant is one everywhere, whatever the rule of the operation found.
AxisFacts withConstant(AxisFacts result, std::optional<std::int64_t> value, const AxisFacts &a) {
  if (!value)
    return result;
  result.constant = value;
  for (std::size_t i = 0; i < result.axes.size(); ++i)
    result.axes[i] = {1, powerOfTwoIn(*value), a.axes[i].constancy};
  return result;
}

// Sums and products of small constants; nothing that would wrap.
std::optional<std::int64_t> folded(const AxisFacts &a, const AxisFacts &b, unsigned width, char op) {
  if (!a.constant || !b.constant)
    return std::nullopt;
  std::int64_t value = 0;
  bool overflow = op == '+'   ? __builtin_add_overflow(*a.constant, *b.constant, &value)
                  : op == '-' ? __builtin_sub_overflow(*a.constant, *b.constant, &value)
                              : __builtin_mul_overflow(*a.constant, *b.constant, &value);
  if (overflow || value > largest(width) || value < -largest(width) - 1)
    return std::nullopt;
  return value;
}

}   // namespace

std::int64_t powerOfTwoIn(std::int64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(AxisFacts::MaxDivisibility);
  const auto bits = static_cast<std::uint64_t>(n);   // the least number has no negation
  return static_cast<std::int64_t>(n == 0 ? most : std::min(most, bits & (~bits + 1)));
}

AxisFacts AxisFacts::unknown(std::size_t rank) {
  AxisFacts facts;
  facts.axes.resize(std::max<std::size_t>(rank, 1));
  return facts;
}

AxisFacts AxisFacts::ofConstant(std::int64_t value, const std::vector<std::int64_t> &shape) {
  AxisFacts facts;
  facts.constant = value;
  for (std::int64_t extent : shape.empty() ? std::vector<std::int64_t>{1} : shape)
    facts.axes.push_back({1, powerOfTwoIn(value), powerOfTwoIn(extent)});
  return facts;
}

AxisFacts AxisFacts::ofRange(std::int64_t first, std::int64_t extent) {
  // 96 elements are three runs of 32, each of which starts at a multiple of 32 more.
  std::int64_t run = powerOfTwoIn(extent);
  AxisFacts facts;
  facts.axes.push_back({run, run == extent ? powerOfTwoIn(first) : std::min(powerOfTwoIn(first), run), 1});
  return facts;
}

std::int64_t AxisFacts::elementDivisibility(std::size_t axis) const { return divisibilityAt(axes[axis], 1); }

AxisFacts join(const AxisFacts &a, const AxisFacts &b) {
  AxisFacts result = perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    std::int64_t c = std::min(x.contiguity, y.contiguity);
    return AxisFact{c, std::min(divisibilityAt(x, c), divisibilityAt(y, c)),
                    std::min(x.constancy, y.constancy)};
  });
  if (a.constant == b.constant)
    result.constant = a.constant;
  return result;
}

AxisFacts add(const AxisFacts &a, const AxisFacts &b, unsigned width) {
  AxisFacts result = perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    std::int64_t c = std::max(std::min(x.contiguity, y.constancy), std::min(x.constancy, y.contiguity));
    return AxisFact{c, std::min(divisibilityAt(x, c), divisibilityAt(y, c)),
                    std::min(x.constancy, y.constancy)};
  });
  return withConstant(result, folded(a, b, width, '+'), elementwise(a, b));
}

AxisFacts subtract(const AxisFacts &a, const AxisFacts &b, unsigned width) {
  AxisFacts result = perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    std::int64_t c = std::min(x.contiguity, y.constancy);
    return AxisFact{c, std::min(divisibilityAt(x, c), divisibilityAt(y, c)),
                    std::min(x.constancy, y.constancy)};
  });
  return withConstant(result, folded(a, b, width, '-'), elementwise(a, b));
}

AxisFacts multiply(const AxisFacts &a, const AxisFacts &b, unsigned width) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisFacts result = perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    return AxisFact{1, product(divisibilityAt(x, 1), divisibilityAt(y, 1)),
                    std::min(x.constancy, y.constancy)};
  });
  return withConstant(result, folded(a, b, width, '*'), elementwise(a, b));
}

// The values of an aligned run [first, first + g), first a multiple of g, lie between the same two
// multiples of a divisor that is a multiple of g: one quotient, and remainders that count up.
AxisFacts divide(const AxisFacts &a, const AxisFacts &b, bool exact) {
  if (b.constant == 1)
    return a;
  AxisFacts result = perAxis(a, b, [&](const AxisFact &x, const AxisFact &y) {
    std::int64_t k = std::min(x.constancy, y.constancy);
    if (exact)
      k = std::max(k, std::min({x.contiguity, x.divisibility, divisibilityAt(y, 1), y.constancy}));
    return AxisFact{1, 1, k};
  });
  // 64 / 8: an exact division by a power of two leaves what is left of the divisibility.
  if (exact && b.constant && *b.constant > 0 && powerOfTwoIn(*b.constant) == *b.constant)
    for (std::size_t i = 0; i < result.axes.size(); ++i)
      result.axes[i].divisibility = std::max<std::int64_t>(1, divisibilityAt(a.axes[i], 1) / *b.constant);
  return result;
}

AxisFacts remainder(const AxisFacts &a, const AxisFacts &b, bool exact) {
  AxisFacts result = perAxis(a, b, [&](const AxisFact &x, const AxisFact &y) {
    std::int64_t k = std::min(x.constancy, y.constancy);
    if (!exact)
      return AxisFact{1, 1, k};
    std::int64_t c = std::min({x.contiguity, x.divisibility, divisibilityAt(y, 1), y.constancy});
    return AxisFact{c, std::min(divisibilityAt(x, c), divisibilityAt(y, 1)), k};
  });
  return result;
}

AxisFacts compare(const AxisFacts &a, const AxisFacts &b, Comparison comparison) {
  // An aligned run [first, first + g) is below a multiple of g as a whole or not at all; nor does it
  // straddle the ends of the type, so signed and unsigned order agree on this.
  auto against = [](const AxisFact &run, const AxisFact &limit) {
    return std::min({run.contiguity, run.divisibility, divisibilityAt(limit, 1), limit.constancy});
  };
  return perAxis(a, b, [&](const AxisFact &x, const AxisFact &y) {
    std::int64_t k = std::min(x.constancy, y.constancy);
    if (comparison == Comparison::Less)
      k = std::max(k, against(x, y));
    else if (comparison == Comparison::LessEqual)
      k = std::max(k, against(y, x));
    return AxisFact{1, 1, k};
  });
}

AxisFacts minimum(const AxisFacts &a, const AxisFacts &b) {
  AxisFacts result = perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    return AxisFact{1, std::min(divisibilityAt(x, 1), divisibilityAt(y, 1)),
                    std::min(x.constancy, y.constancy)};
  });
  return result;
}

AxisFacts elementwise(const AxisFacts &a, const AxisFacts &b) {
  return perAxis(a, b, [](const AxisFact &x, const AxisFact &y) {
    return AxisFact{1, 1, std::min(x.constancy, y.constancy)};
  });
}

AxisFacts select(const AxisFacts &condition, const AxisFacts &a, const AxisFacts &b) {
  AxisFacts result = join(a, b);
  for (std::size_t i = 0; i < result.axes.size(); ++i) {
    // Within a group where the condition is uniform one arm holds as a whole.
    AxisFact &fact = result.axes[i];
    std::int64_t c = std::min(fact.contiguity, condition.axes[i].constancy);
    fact.divisibility = divisibilityAt(fact, c);
    fact.contiguity = c;
    fact.constancy = std::min(fact.constancy, condition.axes[i].constancy);
  }
  return result;
}

AxisFacts extend(const AxisFacts &a) {
  AxisFacts result = a;
  for (AxisFact &fact : result.axes) {   // an aligned run of 2^n numbers does not straddle the type's ends
    std::int64_t c = std::min(fact.contiguity, fact.divisibility);
    fact.divisibility = divisibilityAt(fact, c);
    fact.contiguity = c;
  }
  return result;
}

AxisFacts truncate(const AxisFacts &a, unsigned width) {
  AxisFacts result = a;
  if (result.constant && (*result.constant > largest(width) || *result.constant < -largest(width) - 1))
    result.constant.reset();
  return result;
}

AxisFacts addToPointer(const AxisFacts &pointer, const AxisFacts &offset, std::int64_t elementBytes) {
  AxisFacts result = perAxis(pointer, offset, [&](const AxisFact &p, const AxisFact &o) {
    std::int64_t c = std::max(std::min(p.contiguity, o.constancy), std::min(p.constancy, o.contiguity));
    // At multiples of c: a pointer in a longer run moves on by c elements.
    std::int64_t address =
        p.contiguity > c ? std::min(p.divisibility, product(c, elementBytes)) : p.divisibility;
    return AxisFact{c, std::min(address, product(divisibilityAt(o, c), elementBytes)),
                    std::min(p.constancy, o.constancy)};
  });
  return result;
}

AxisFacts splat(const AxisFacts &scalar, const std::vector<std::int64_t> &shape) {
  AxisFacts result;
  result.constant = scalar.constant;
  for (std::int64_t extent : shape)
    result.axes.push_back({1, scalar.elementDivisibility(0), powerOfTwoIn(extent)});
  return result;
}

AxisFacts broadcast(const AxisFacts &a, const std::vector<std::int64_t> &from,
                    const std::vector<std::int64_t> &to) {
  AxisFacts result = a;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (from[i] != to[i])
      result.axes[i] = {1, a.elementDivisibility(i), powerOfTwoIn(to[i])};
  return result;
}

AxisFacts expandDims(const AxisFacts &a, std::size_t axis) {
  AxisFacts result = a;
  // Along an axis of extent 1 each element is its own group: what is known is what divides it, and each
  // axis knows that of every element.
  std::int64_t divisibility = 1;
  for (std::size_t i = 0; i < a.axes.size(); ++i)
    divisibility = std::max(divisibility, a.elementDivisibility(i));
  result.axes.insert(result.axes.begin() + static_cast<std::ptrdiff_t>(axis), {1, divisibility, 1});
  return result;
}

AxisFacts permute(const AxisFacts &a, const std::vector<std::size_t> &order) {
  AxisFacts result = a;
  for (std::size_t i = 0; i < order.size(); ++i)
    result.axes[i] = a.axes[order[i]];
  return result;
}

}   // namespace tile
