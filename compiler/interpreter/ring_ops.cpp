// SPDX-License-Identifier: MIT
// Operations on floats where floats are a ring (compiler/analysis/float_ring.h): their lanes are those of
// integers of the same width.
#include "compiler/interpreter/ring_ops.h"

#include "compiler/interpreter/machine.h"
#include "compiler/interpreter/matrix_product.h"

#include <limits>
#include <vector>

namespace tile::interpreter {
namespace {

// 8 and 16 bits would be promoted to int, whose product may overflow.
template <class U> struct Arithmetic {
  using Wide = std::uint64_t;
  using Signed = std::make_signed_t<U>;
  static constexpr unsigned width() { return std::numeric_limits<U>::digits; }
  static U constant(std::uint64_t value) { return static_cast<U>(value); }
  static U add(U a, U b) { return static_cast<U>(Wide{a} + b); }
  static U sub(U a, U b) { return static_cast<U>(Wide{a} - b); }
  static U mul(U a, U b) { return static_cast<U>(Wide{a} * b); }
  static U xor_(U a, U b) { return a ^ b; }
  static U or_(U a, U b) { return a | b; }
  static U shiftRight(U a, unsigned by) { return static_cast<U>(a >> by); }
  static U maximum(U a, U b) { return static_cast<Signed>(a) < static_cast<Signed>(b) ? b : a; }
  static U minimum(U a, U b) { return static_cast<Signed>(b) < static_cast<Signed>(a) ? b : a; }
};

template <class U> void compute(const Instruction &i, Machine &m) {
  const float_ring::Function &function = i.as<RingFunction>().function;
  const auto operand = [&](Place place) { return place == NoPlace ? nullptr : m.at<U>(place); };
  const U *a = operand(i.a), *b = operand(i.b), *c = operand(i.c);
  U *r = m.at<U>(i.result);
  Arithmetic<U> arithmetic;
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = float_ring::apply(arithmetic, function, a[n], b ? b[n] : U{0}, c ? c[n] : U{0});
}

void fill(const Instruction &i, Machine &m) {
  std::uint8_t *r = m.at<std::uint8_t>(i.result);
  std::fill(r, r + i.lanes, static_cast<std::uint8_t>(i.as<RingAnswer>().always));
}

template <class Sum> const Sum *extended(Machine &m, Place place, Lane lane, std::size_t count,
                                         std::vector<Sum> &to) {
  to.resize(count);
  forInteger(lane, [&]<class T>(T) {
    const T *from = m.at<T>(place);
    for (std::size_t n = 0; n < count; ++n)
      to[n] = static_cast<Sum>(from[n]);   // with its sign
    return true;
  });
  return to.data();
}

// In 32 bits, or 64 for f64; a 16-bit accumulator is extended too and cut off at the end.
template <class Sum> void dot(const Instruction &i, Machine &m) {
  const Dot &d = i.as<Dot>();
  static thread_local std::vector<Sum> operands[3];
  const std::size_t aLanes = d.rows * d.depth, bLanes = d.depth * d.columns, cLanes = d.rows * d.columns;
  const Sum *a = extended(m, i.a, d.a, d.batch * aLanes, operands[0]);
  const Sum *b = extended(m, i.b, d.b, d.batch * bLanes, operands[1]);
  extended(m, i.c, d.sum, d.batch * cLanes, operands[2]);
  Sum *c = operands[2].data();
  for (std::size_t batch = 0; batch < d.batch; ++batch)
    addProduct(c + batch * cLanes, a + batch * aLanes, b + batch * bLanes, d.rows, d.columns, d.depth);
  forInteger(d.sum, [&]<class T>(T) {
    T *to = m.at<T>(i.result);
    for (std::size_t n = 0; n < d.batch * cLanes; ++n)
      to[n] = static_cast<T>(c[n]);
    return true;
  });
}

}   // namespace

Handler ringHandler(Lane lane) {
  return isInteger(lane) && lane != Lane::I1
             ? forBytes(bytesOf(lane), []<class U>(U) -> Handler { return compute<U>; })
             : nullptr;
}
Handler ringAnswerHandler() { return fill; }
Handler ringDotHandler(Lane sum) { return sum == Lane::I64 ? dot<std::uint64_t> : dot<std::uint32_t>; }

Update ringUpdate(Update update) {
  switch (update) {
  case Update::FAdd:
    return Update::Add;
  case Update::FMax:
    return Update::SMax;
  case Update::FMin:
    return Update::SMin;
  default:
    return update;
  }
}

}   // namespace tile::interpreter
