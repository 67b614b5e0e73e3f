// SPDX-License-Identifier: MIT
#include "compiler/interpreter/wrapped.h"

#include "compiler/interpreter/machine.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tile::interpreter {
namespace {

// Whether the true result is outside the type of the operands.
struct Add {
  static bool wraps(std::int32_t a, std::int32_t b) {
    const auto r = numeric::add(a, b);
    return ((a ^ r) & (b ^ r)) < 0;
  }
  static bool wraps(std::uint32_t a, std::uint32_t b) { return a + b < a; }
  static bool wraps(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    return __builtin_add_overflow(a, b, &r);
  }
  template <class T> static T apply(T a, T b) { return numeric::add(a, b); }
};
struct Subtract {
  static bool wraps(std::int32_t a, std::int32_t b) {
    const auto r = numeric::subtract(a, b);
    return ((a ^ b) & (a ^ r)) < 0;
  }
  static bool wraps(std::uint32_t a, std::uint32_t b) { return a < b; }
  static bool wraps(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    return __builtin_sub_overflow(a, b, &r);
  }
  template <class T> static T apply(T a, T b) { return numeric::subtract(a, b); }
};
struct Multiply {
  static bool wraps(std::int32_t a, std::int32_t b) {
    const std::int64_t r = std::int64_t{a} * b;
    return r != static_cast<std::int32_t>(r);
  }
  static bool wraps(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} * b) >> 32 != 0; }
  static bool wraps(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    return __builtin_mul_overflow(a, b, &r);
  }
  template <class T> static T apply(T a, T b) { return numeric::multiply(a, b); }
};

bool any(const Machine &m, const std::optional<Wrapped> &w) { return w && m.hasWrapped(*w); }

template <class Op, class T> void checked(const Instruction &i, Machine &m) {
  const WrapCheck &check = i.as<WrapCheck>();
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  T *r = m.at<T>(i.result);
  unsigned wrapped = 0;
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n) {
    r[n] = Op::apply(a[n], b[n]);
    wrapped |= static_cast<unsigned>(Op::wraps(a[n], b[n]));
  }
  const bool earlier = any(m, check.a) || any(m, check.b);
  m.setWrapped(check.result, wrapped || earlier);
  if (!wrapped && !earlier)
    return;

  std::uint16_t *notes = m.at<std::uint16_t>(check.result.lanes);
  bool shown = false;   // the operands of the first lane stand for all
  for (std::size_t n = 0; n < lanes; ++n) {
    std::uint16_t note = any(m, check.a) ? m.at<std::uint16_t>(check.a->lanes)[n] : std::uint16_t{0};
    if (!note && any(m, check.b))
      note = m.at<std::uint16_t>(check.b->lanes)[n];
    if (!note && Op::wraps(a[n], b[n])) {
      note = check.number;
      if (!std::exchange(shown, true))
        m.wrappedOperands[check.number] = {static_cast<std::int64_t>(a[n]), static_cast<std::int64_t>(b[n])};
    }
    notes[n] = note;
  }
}

void merge(const Instruction &i, Machine &m) {
  const WrapMerge &d = i.as<WrapMerge>();
  const bool first = any(m, d.a), second = any(m, d.b);
  m.setWrapped(d.result, first || second);
  if (!first && !second)
    return;
  std::uint16_t *notes = m.at<std::uint16_t>(d.result.lanes);
  const std::uint16_t *a = first ? m.at<std::uint16_t>(d.a->lanes) : nullptr;
  const std::uint16_t *b = second ? m.at<std::uint16_t>(d.b->lanes) : nullptr;
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const std::uint16_t fromA = a ? a[n] : std::uint16_t{0}, fromB = b ? b[n] : std::uint16_t{0};
    if (d.hasCondition)
      notes[n] = m.at<std::uint8_t>(i.c)[d.oneCondition ? 0 : n] ? fromA : fromB;
    else
      notes[n] = fromA ? fromA : fromB;
  }
}

void move(const Instruction &i, Machine &m) {
  const WrapMove &d = i.as<WrapMove>();
  m.setWrapped(d.result, m.hasWrapped(d.a));
  if (m.hasWrapped(d.a))
    d.move.run(d.move, m);
}

// Of 64 bits all are read as signed ones: that is how they are added to a pointer.
template <class Op> Handler checking(Lane lane, bool isUnsigned) {
  if (lane == Lane::I64)
    return checked<Op, std::int64_t>;
  return isUnsigned ? checked<Op, std::uint32_t> : checked<Op, std::int32_t>;
}

}   // namespace

Handler checkedHandler(IntegerOp op, Lane lane, bool isUnsigned) {
  switch (op) {
  case IntegerOp::Add:
    return checking<Add>(lane, isUnsigned);
  case IntegerOp::Subtract:
    return checking<Subtract>(lane, isUnsigned);
  case IntegerOp::Multiply:
    return checking<Multiply>(lane, isUnsigned);
  default:
    return nullptr;
  }
}
Handler mergeWrappedHandler() { return merge; }
Handler moveWrappedHandler() { return move; }

void moveWrapped(Machine &m, const Wrapped &to, const std::optional<Wrapped> &from, std::size_t lanes) {
  const bool some = any(m, from);
  m.setWrapped(to, some);
  if (some && from->lanes != to.lanes)
    std::memmove(m.at<std::uint16_t>(to.lanes), m.at<std::uint16_t>(from->lanes),
                 lanes * sizeof(std::uint16_t));
}

}   // namespace tile::interpreter
