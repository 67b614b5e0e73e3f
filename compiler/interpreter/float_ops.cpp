// SPDX-License-Identifier: MIT
// Floats, elementwise. 16-bit formats compute each operation in f32 and round once; fma and the
// mathematical functions compute in f64 and round once to whatever the lane is, which is the
// correctly rounded result but for cases rarer than one in 2^28. So no result depends on the
// machine that the interpreter runs on; contraction of products into sums is switched off for it.
#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/lane_loops.h"

#include <cmath>
#include <numbers>

namespace tile::interpreter {
namespace {

using numeric::Nan;

// clang-format off
struct Add { template <class C> static C apply(C a, C b) { return a + b; } };
struct Subtract { template <class C> static C apply(C a, C b) { return a - b; } };
struct Multiply { template <class C> static C apply(C a, C b) { return a * b; } };
struct Divide { template <class C> static C apply(C a, C b) { return a / b; } };
struct Remainder { template <class C> static C apply(C a, C b) { return std::fmod(a, b); } };
struct Maximum { template <class C> static C apply(C a, C b) { return numeric::maximum<Nan::ignore>(a, b); } };
struct Minimum { template <class C> static C apply(C a, C b) { return numeric::minimum<Nan::ignore>(a, b); } };
struct MaximumPropagating { template <class C> static C apply(C a, C b) { return numeric::maximum<Nan::propagate>(a, b); } };
struct MinimumPropagating { template <class C> static C apply(C a, C b) { return numeric::minimum<Nan::propagate>(a, b); } };
struct Clamp { template <class C> static C apply(C x, C low, C high) { return numeric::clamp<Nan::ignore>(x, low, high); } };
struct ClampPropagating { template <class C> static C apply(C x, C low, C high) { return numeric::clamp<Nan::propagate>(x, low, high); } };

// Ordered comparisons are false and unordered ones true where a NaN takes part.
struct Oeq { template <class C> static bool apply(C a, C b) { return a == b; } };
struct Ogt { template <class C> static bool apply(C a, C b) { return a > b; } };
struct Oge { template <class C> static bool apply(C a, C b) { return a >= b; } };
struct Olt { template <class C> static bool apply(C a, C b) { return a < b; } };
struct Ole { template <class C> static bool apply(C a, C b) { return a <= b; } };
struct One { template <class C> static bool apply(C a, C b) { return a < b || a > b; } };
struct Ord { template <class C> static bool apply(C a, C b) { return a == a && b == b; } };
struct Ueq { template <class C> static bool apply(C a, C b) { return !One::apply(a, b); } };
struct Ugt { template <class C> static bool apply(C a, C b) { return !(a <= b); } };
struct Uge { template <class C> static bool apply(C a, C b) { return !(a < b); } };
struct Ult { template <class C> static bool apply(C a, C b) { return !(a >= b); } };
struct Ule { template <class C> static bool apply(C a, C b) { return !(a > b); } };
struct Une { template <class C> static bool apply(C a, C b) { return a != b; } };
struct Uno { template <class C> static bool apply(C a, C b) { return a != a || b != b; } };
struct False { template <class C> static bool apply(C, C) { return false; } };
struct True { template <class C> static bool apply(C, C) { return true; } };

// Exact in any width, or correctly rounded by the machine.
struct Floor { template <class C> static C apply(C x) { return std::floor(x); } };
struct Ceil { template <class C> static C apply(C x) { return std::ceil(x); } };
struct RoundEven { template <class C> static C apply(C x) { return std::nearbyint(x); } };
struct Round { template <class C> static C apply(C x) { return std::round(x); } };
struct Truncate { template <class C> static C apply(C x) { return std::trunc(x); } };
struct SquareRoot { template <class C> static C apply(C x) { return std::sqrt(x); } };

// In f64 whatever the lane is.
struct ReciprocalSquareRoot { static double apply(double x) { return 1 / std::sqrt(x); } };
struct Exp { static double apply(double x) { return std::exp(x); } };
struct Exp2 { static double apply(double x) { return std::exp2(x); } };
struct Expm1 { static double apply(double x) { return std::expm1(x); } };
struct Log { static double apply(double x) { return std::log(x); } };
struct Log2 { static double apply(double x) { return std::log2(x); } };
struct Log10 { static double apply(double x) { return std::log10(x); } };
struct Log1p { static double apply(double x) { return std::log1p(x); } };
struct Sin { static double apply(double x) { return std::sin(x); } };
struct Cos { static double apply(double x) { return std::cos(x); } };
struct Tan { static double apply(double x) { return std::tan(x); } };
struct Asin { static double apply(double x) { return std::asin(x); } };
struct Acos { static double apply(double x) { return std::acos(x); } };
struct Atan { static double apply(double x) { return std::atan(x); } };
struct Sinh { static double apply(double x) { return std::sinh(x); } };
struct Cosh { static double apply(double x) { return std::cosh(x); } };
struct Tanh { static double apply(double x) { return std::tanh(x); } };
struct Erf { static double apply(double x) { return std::erf(x); } };
struct Cbrt { static double apply(double x) { return std::cbrt(x); } };
struct Power { static double apply(double a, double b) { return std::pow(a, b); } };
struct Atan2 { static double apply(double a, double b) { return std::atan2(a, b); } };
// clang-format on

// The sign bit flips or goes, of a NaN too: on bits.
template <class T, bool Flip> void changeSign(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a);
  constexpr T sign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
  TILE_LANES
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = static_cast<T>(Flip ? a[n] ^ sign : a[n] & static_cast<T>(~sign));
}

template <class Op, class T> void mapInDouble(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a);
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = settled<T>(Op::apply(static_cast<double>(open(a[n]))));
}
template <class Op, class T> void combineInDouble(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = settled<T>(Op::apply(static_cast<double>(open(a[n])), static_cast<double>(open(b[n]))));
}

// The product of two 16-bit floats is exact in f64, and so is nearly every sum with a third.
template <class T> void multiplyAdd(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b), *c = m.at<T>(i.c);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    if constexpr (numeric::NarrowFloat<T>)
      r[n] = settled<T>(static_cast<double>(open(a[n])) * static_cast<double>(open(b[n])) +
                        static_cast<double>(open(c[n])));
    else
      r[n] = numeric::canonical(std::fma(a[n], b[n], c[n]));
  }
}

template <class Op> Handler forFloats(Lane lane) {
  return forFloat(lane, []<class T>(T) -> Handler { return combineLanes<Op, T>; });
}
template <class Op> Handler comparing(Lane lane) {
  return forFloat(lane, []<class T>(T) -> Handler { return compareLanes<Op, T>; });
}
template <class Op> Handler mapping(Lane lane) {
  return forFloat(lane, []<class T>(T) -> Handler { return mapLanes<Op, T, T>; });
}
template <class Op> Handler mappingInDouble(Lane lane) {
  return forFloat(lane, []<class T>(T) -> Handler { return mapInDouble<Op, T>; });
}

}   // namespace

Handler floatHandler(FloatOp op, Lane lane) {
#define TILE_CASE(Name)                                                                                      \
  case FloatOp::Name:                                                                                        \
    return forFloats<Name>(lane);
  switch (op) {
    TILE_CASE(Add)
    TILE_CASE(Subtract)
    TILE_CASE(Multiply)
    TILE_CASE(Divide)
    TILE_CASE(Remainder)
    TILE_CASE(Maximum)
    TILE_CASE(Minimum)
    TILE_CASE(MaximumPropagating)
    TILE_CASE(MinimumPropagating)
  }
#undef TILE_CASE
  return nullptr;
}

Handler compareHandler(FloatPredicate predicate, Lane lane) {
#define TILE_CASE(Name)                                                                                      \
  case FloatPredicate::Name:                                                                                 \
    return comparing<Name>(lane);
  switch (predicate) {
    TILE_CASE(False)
    TILE_CASE(Oeq)
    TILE_CASE(Ogt)
    TILE_CASE(Oge)
    TILE_CASE(Olt)
    TILE_CASE(Ole)
    TILE_CASE(One)
    TILE_CASE(Ord)
    TILE_CASE(Ueq)
    TILE_CASE(Ugt)
    TILE_CASE(Uge)
    TILE_CASE(Ult)
    TILE_CASE(Ule)
    TILE_CASE(Une)
    TILE_CASE(Uno)
    TILE_CASE(True)
  }
#undef TILE_CASE
  return nullptr;
}

Handler unaryHandler(UnaryOp op, Lane lane) {
#define TILE_CASE(Name)                                                                                      \
  case UnaryOp::Name:                                                                                        \
    return mapping<Name>(lane);
#define TILE_DOUBLE_CASE(Name)                                                                               \
  case UnaryOp::Name:                                                                                        \
    return mappingInDouble<Name>(lane);
  switch (op) {
  case UnaryOp::Negate:
    return isFloat(lane) ? forBytes(bytesOf(lane), []<class T>(T) -> Handler { return changeSign<T, true>; })
                         : nullptr;
  case UnaryOp::Absolute:
    return isFloat(lane) ? forBytes(bytesOf(lane), []<class T>(T) -> Handler { return changeSign<T, false>; })
                         : nullptr;
    TILE_CASE(Floor)
    TILE_CASE(Ceil)
    TILE_CASE(RoundEven)
    TILE_CASE(Round)
    TILE_CASE(Truncate)
    TILE_CASE(SquareRoot)
    TILE_DOUBLE_CASE(ReciprocalSquareRoot)
    TILE_DOUBLE_CASE(Exp)
    TILE_DOUBLE_CASE(Exp2)
    TILE_DOUBLE_CASE(Expm1)
    TILE_DOUBLE_CASE(Log)
    TILE_DOUBLE_CASE(Log2)
    TILE_DOUBLE_CASE(Log10)
    TILE_DOUBLE_CASE(Log1p)
    TILE_DOUBLE_CASE(Sin)
    TILE_DOUBLE_CASE(Cos)
    TILE_DOUBLE_CASE(Tan)
    TILE_DOUBLE_CASE(Asin)
    TILE_DOUBLE_CASE(Acos)
    TILE_DOUBLE_CASE(Atan)
    TILE_DOUBLE_CASE(Sinh)
    TILE_DOUBLE_CASE(Cosh)
    TILE_DOUBLE_CASE(Tanh)
    TILE_DOUBLE_CASE(Erf)
    TILE_DOUBLE_CASE(Cbrt)
  }
#undef TILE_CASE
#undef TILE_DOUBLE_CASE
  return nullptr;
}

Handler binaryMathHandler(bool power, Lane lane) {
  return forFloat(lane, [&]<class T>(T) -> Handler {
    return power ? combineInDouble<Power, T> : combineInDouble<Atan2, T>;
  });
}
Handler fmaHandler(Lane lane) {
  return forFloat(lane, []<class T>(T) -> Handler { return multiplyAdd<T>; });
}
Handler clampHandler(bool propagate, Lane lane) {
  return forFloat(lane, [&]<class T>(T) -> Handler {
    return propagate ? combineThreeLanes<ClampPropagating, T> : combineThreeLanes<Clamp, T>;
  });
}

}   // namespace tile::interpreter
