// SPDX-License-Identifier: MIT
// Integers and conditions, elementwise. Lanes are of signed types; operations that read them as
// unsigned say so.
#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/lane_loops.h"

namespace tile::interpreter {
namespace {

template <class T> std::make_unsigned_t<T> u(T value) { return static_cast<std::make_unsigned_t<T>>(value); }
// Computes with the operands read as unsigned.
template <class T, class Compute> T asUnsigned(T a, T b, Compute compute) {
  return static_cast<T>(compute(u(a), u(b)));
}

// clang-format off
struct Add { template <class T> static T apply(T a, T b) { return numeric::add(a, b); } };
struct Subtract { template <class T> static T apply(T a, T b) { return numeric::subtract(a, b); } };
struct Multiply { template <class T> static T apply(T a, T b) { return numeric::multiply(a, b); } };
struct DivideSigned { template <class T> static T apply(T a, T b) { return numeric::divide(a, b); } };
struct DivideUnsigned { template <class T> static T apply(T a, T b) { return static_cast<T>(numeric::divide(u(a), u(b))); } };
struct RemainderSigned { template <class T> static T apply(T a, T b) { return numeric::remainder(a, b); } };
struct RemainderUnsigned { template <class T> static T apply(T a, T b) { return static_cast<T>(numeric::remainder(u(a), u(b))); } };
struct CeilDivideSigned { template <class T> static T apply(T a, T b) { return numeric::ceil_divide(a, b); } };
struct CeilDivideUnsigned { template <class T> static T apply(T a, T b) { return static_cast<T>(numeric::ceil_divide(u(a), u(b))); } };
struct FloorDivideSigned {
  template <class T> static T apply(T a, T b) {
    const T quotient = numeric::divide(a, b), rest = numeric::remainder(a, b);
    return static_cast<T>(quotient - (rest != 0 && (rest < 0) != (b < 0)));
  }
};
struct ShiftLeft { template <class T> static T apply(T a, T b) { return numeric::shift_left(a, b); } };
struct ShiftRightSigned { template <class T> static T apply(T a, T b) { return numeric::shift_right(a, b); } };
struct ShiftRightUnsigned { template <class T> static T apply(T a, T b) { return static_cast<T>(numeric::shift_right(u(a), u(b))); } };
struct And { template <class T> static T apply(T a, T b) { return static_cast<T>(a & b); } };
struct Or { template <class T> static T apply(T a, T b) { return static_cast<T>(a | b); } };
struct Xor { template <class T> static T apply(T a, T b) { return static_cast<T>(a ^ b); } };
struct MaximumSigned { template <class T> static T apply(T a, T b) { return a < b ? b : a; } };
struct MaximumUnsigned { template <class T> static T apply(T a, T b) { return u(a) < u(b) ? b : a; } };
struct MinimumSigned { template <class T> static T apply(T a, T b) { return b < a ? b : a; } };
struct MinimumUnsigned { template <class T> static T apply(T a, T b) { return u(b) < u(a) ? b : a; } };
struct MultiplyHighSigned { template <class T> static T apply(T a, T b) { return numeric::multiply_high(a, b); } };
struct MultiplyHighUnsigned { template <class T> static T apply(T a, T b) { return static_cast<T>(numeric::multiply_high(u(a), u(b))); } };

struct Equal { template <class T> static bool apply(T a, T b) { return a == b; } };
struct NotEqual { template <class T> static bool apply(T a, T b) { return a != b; } };
struct Slt { template <class T> static bool apply(T a, T b) { return a < b; } };
struct Sle { template <class T> static bool apply(T a, T b) { return a <= b; } };
struct Sgt { template <class T> static bool apply(T a, T b) { return a > b; } };
struct Sge { template <class T> static bool apply(T a, T b) { return a >= b; } };
struct Ult { template <class T> static bool apply(T a, T b) { return u(a) < u(b); } };
struct Ule { template <class T> static bool apply(T a, T b) { return u(a) <= u(b); } };
struct Ugt { template <class T> static bool apply(T a, T b) { return u(a) > u(b); } };
struct Uge { template <class T> static bool apply(T a, T b) { return u(a) >= u(b); } };

struct Absolute { template <class T> static T apply(T a) { return numeric::absolute(a); } };

// Conditions are bytes of 0 and 1; read as signed, 1 is -1.
struct NotAnd { static std::uint8_t apply(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>((a ^ 1) & b); } };
struct AndNot { static std::uint8_t apply(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a & (b ^ 1)); } };
struct OrNot { static std::uint8_t apply(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | (b ^ 1)); } };
struct NotOr { static std::uint8_t apply(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>((a ^ 1) | b); } };
struct Same { static std::uint8_t apply(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>((a ^ b) ^ 1); } };
struct First { static std::uint8_t apply(std::uint8_t a, std::uint8_t) { return a; } };
struct Zero { static std::uint8_t apply(std::uint8_t, std::uint8_t) { return 0; } };
// clang-format on

template <class Op> Handler forIntegers(Lane lane) {
  return forInteger(lane, []<class T>(T) -> Handler { return combineLanes<Op, T>; });
}
template <class Op> Handler comparing(Lane lane) {
  if (lane == Lane::Pointer)
    lane = Lane::I64;
  return forInteger(lane, []<class T>(T) -> Handler { return compareLanes<Op, T>; });
}
template <class Op> Handler onConditions() { return combineLanes<Op, std::uint8_t>; }

// Arithmetic modulo 2. The only divisor that is not 0 is 1 (signed: -1, whose quotient wraps to
// the dividend), and 0 acts as 1; shifting by 1 is shifting by the width.
Handler conditionHandler(IntegerOp op) {
  switch (op) {
  case IntegerOp::Add:
  case IntegerOp::Subtract:
  case IntegerOp::Xor:
    return onConditions<Xor>();
  case IntegerOp::Multiply:
  case IntegerOp::And:
  case IntegerOp::MaximumSigned:   // of 0 and -1
  case IntegerOp::MinimumUnsigned:
    return onConditions<And>();
  case IntegerOp::Or:
  case IntegerOp::MaximumUnsigned:
  case IntegerOp::MinimumSigned:
    return onConditions<Or>();
  case IntegerOp::ShiftLeft:
  case IntegerOp::ShiftRightUnsigned:
    return onConditions<AndNot>();
  case IntegerOp::DivideSigned:
  case IntegerOp::DivideUnsigned:
  case IntegerOp::CeilDivideSigned:
  case IntegerOp::CeilDivideUnsigned:
  case IntegerOp::FloorDivideSigned:
  case IntegerOp::ShiftRightSigned:
    return onConditions<First>();
  case IntegerOp::RemainderSigned:
  case IntegerOp::RemainderUnsigned:
  case IntegerOp::MultiplyHighSigned:
  case IntegerOp::MultiplyHighUnsigned:
    return onConditions<Zero>();
  }
  return nullptr;
}
Handler conditionHandler(IntegerPredicate predicate) {
  switch (predicate) {
  case IntegerPredicate::Equal:
    return onConditions<Same>();
  case IntegerPredicate::NotEqual:
    return onConditions<Xor>();
  case IntegerPredicate::Slt:
  case IntegerPredicate::Ugt:
    return onConditions<AndNot>();
  case IntegerPredicate::Sgt:
  case IntegerPredicate::Ult:
    return onConditions<NotAnd>();
  case IntegerPredicate::Sle:
  case IntegerPredicate::Uge:
    return onConditions<OrNot>();
  case IntegerPredicate::Sge:
  case IntegerPredicate::Ule:
    return onConditions<NotOr>();
  }
  return nullptr;
}

template <class T, bool Signed> void multiplyExtended(const Instruction &i, Machine &m) {
  T *low = m.at<T>(i.result), *high = m.at<T>(i.c);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const T x = a[n], y = b[n];
    high[n] = Signed ? MultiplyHighSigned::apply(x, y) : MultiplyHighUnsigned::apply(x, y);
    low[n] = numeric::multiply(x, y);
  }
}
template <class T> void addExtended(const Instruction &i, Machine &m) {
  T *sum = m.at<T>(i.result);
  std::uint8_t *carry = m.at<std::uint8_t>(i.c);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const T x = a[n], y = numeric::add(x, b[n]);
    carry[n] = u(y) < u(x);
    sum[n] = y;
  }
}

template <class T> void selectLanes(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const std::uint8_t *condition = m.at<std::uint8_t>(i.a);
  const T *yes = m.at<T>(i.b), *no = m.at<T>(i.c);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = condition[n] ? yes[n] : no[n];
}
template <class T> void selectWhole(const Instruction &i, Machine &m) {
  const T *from = m.at<T>(m.scalar<std::uint8_t>(i.a) ? i.b : i.c);
  T *r = m.at<T>(i.result);
  TILE_LANES
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = from[n];
}

}   // namespace

#define TILE_CASE(Enum, Name)                                                                                \
  case Enum::Name:                                                                                           \
    return forIntegers<Name>(lane);
Handler integerHandler(IntegerOp op, Lane lane) {
  if (lane == Lane::I1)
    return conditionHandler(op);
  switch (op) {
    TILE_CASE(IntegerOp, Add)
    TILE_CASE(IntegerOp, Subtract)
    TILE_CASE(IntegerOp, Multiply)
    TILE_CASE(IntegerOp, DivideSigned)
    TILE_CASE(IntegerOp, DivideUnsigned)
    TILE_CASE(IntegerOp, RemainderSigned)
    TILE_CASE(IntegerOp, RemainderUnsigned)
    TILE_CASE(IntegerOp, CeilDivideSigned)
    TILE_CASE(IntegerOp, CeilDivideUnsigned)
    TILE_CASE(IntegerOp, FloorDivideSigned)
    TILE_CASE(IntegerOp, ShiftLeft)
    TILE_CASE(IntegerOp, ShiftRightSigned)
    TILE_CASE(IntegerOp, ShiftRightUnsigned)
    TILE_CASE(IntegerOp, And)
    TILE_CASE(IntegerOp, Or)
    TILE_CASE(IntegerOp, Xor)
    TILE_CASE(IntegerOp, MaximumSigned)
    TILE_CASE(IntegerOp, MaximumUnsigned)
    TILE_CASE(IntegerOp, MinimumSigned)
    TILE_CASE(IntegerOp, MinimumUnsigned)
    TILE_CASE(IntegerOp, MultiplyHighSigned)
    TILE_CASE(IntegerOp, MultiplyHighUnsigned)
  }
  return nullptr;
}
#undef TILE_CASE

Handler compareHandler(IntegerPredicate predicate, Lane lane) {
  if (lane == Lane::I1)
    return conditionHandler(predicate);
#define TILE_CASE(Name)                                                                                      \
  case IntegerPredicate::Name:                                                                               \
    return comparing<Name>(lane);
  switch (predicate) {
    TILE_CASE(Equal)
    TILE_CASE(NotEqual)
    TILE_CASE(Slt)
    TILE_CASE(Sle)
    TILE_CASE(Sgt)
    TILE_CASE(Sge)
    TILE_CASE(Ult)
    TILE_CASE(Ule)
    TILE_CASE(Ugt)
    TILE_CASE(Uge)
  }
#undef TILE_CASE
  return nullptr;
}

Handler absoluteIntegerHandler(Lane lane) {
  return forInteger(lane, []<class T>(T) -> Handler { return mapLanes<Absolute, T, T>; });
}
Handler extendedMultiplyHandler(bool isSigned, Lane lane) {
  return forInteger(lane, [&]<class T>(T) -> Handler {
    return isSigned ? multiplyExtended<T, true> : multiplyExtended<T, false>;
  });
}
Handler extendedAddHandler(Lane lane) {
  return forInteger(lane, []<class T>(T) -> Handler { return addExtended<T>; });
}
Handler selectHandler(std::size_t bytes) {
  return forBytes(bytes, []<class T>(T) -> Handler { return selectLanes<T>; });
}
Handler selectOneHandler(std::size_t bytes) {
  return forBytes(bytes, []<class T>(T) -> Handler { return selectWhole<T>; });
}

}   // namespace tile::interpreter
