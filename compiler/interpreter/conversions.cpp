// SPDX-License-Identifier: MIT
// Conversions between element types, each with one rounding: numeric::cast has the rules.
#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/lane_loops.h"

namespace tile::interpreter {
namespace {

using numeric::Rounding;

template <class To, class From, Rounding rounding = Rounding::nearest_even>
void castLanes(const Instruction &i, Machine &m) {
  To *r = m.at<To>(i.result);
  const From *a = m.at<From>(i.a);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = numeric::cast<To, rounding>(a[n]);
}

// The machine's conversions make NaNs as its arithmetic does; those from and to 8 bits are of integer code,
// which keeps their signs.
template <class To, class From, Rounding rounding> void castFloats(const Instruction &i, Machine &m) {
  if constexpr (std::is_same_v<To, From> || sizeof(To) == 1 || sizeof(From) == 1)
    return castLanes<To, From, rounding>(i, m);
  To *r = m.at<To>(i.result);
  const From *a = m.at<From>(i.a);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = numeric::canonical(numeric::cast<To, rounding>(a[n]));
}

// Conditions: any number becomes its lowest bit; 1 becomes 1, or -1 where it is read as signed.
template <class From> void lowestBit(const Instruction &i, Machine &m) {
  std::uint8_t *r = m.at<std::uint8_t>(i.result);
  const From *a = m.at<From>(i.a);
  TILE_LANES
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = static_cast<std::uint8_t>(a[n] & 1);
}
template <class To, bool Signed> void fromCondition(const Instruction &i, Machine &m) {
  To *r = m.at<To>(i.result);
  const std::uint8_t *a = m.at<std::uint8_t>(i.a);
  const To one = numeric::cast<To>(Signed ? std::int8_t(-1) : std::int8_t(1)),
           zero = numeric::cast<To>(std::int8_t(0));
  TILE_LANES
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = a[n] ? one : zero;
}
// A float as a 1-bit integer: truncated and saturated, to {0, 1} or {-1, 0}.
template <class From, bool Signed> void toCondition(const Instruction &i, Machine &m) {
  std::uint8_t *r = m.at<std::uint8_t>(i.result);
  const From *a = m.at<From>(i.a);
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const auto value = open(a[n]);
    r[n] = Signed ? value <= -1 : value >= 1;
  }
}

template <class T> using Signed = T;
template <class T> using Unsigned = std::make_unsigned_t<T>;

// One lane type's family of destinations.
template <template <class> class Read, template <class> class Write> Handler betweenIntegers(Lane from,
                                                                                             Lane to) {
  return forInteger(from, [&]<class From>(From) -> Handler {
    return forInteger(to, []<class To>(To) -> Handler { return castLanes<Write<To>, Read<From>>; });
  });
}
template <template <class> class Read> Handler toFloat(Lane from, Lane to) {
  return forInteger(from, [&]<class From>(From) -> Handler {
    return forAnyFloat(to, []<class To>(To) -> Handler { return castLanes<To, Read<From>>; });
  });
}
template <template <class> class Write> Handler fromFloat(Lane from, Lane to) {
  return forAnyFloat(from, [&]<class From>(From) -> Handler {
    return forInteger(to, []<class To>(To) -> Handler { return castLanes<Write<To>, From>; });
  });
}
template <Rounding rounding> Handler betweenFloats(Lane from, Lane to) {
  return forAnyFloat(from, [&]<class From>(From) -> Handler {
    return forAnyFloat(to, []<class To>(To) -> Handler { return castFloats<To, From, rounding>; });
  });
}

Handler conditionHandler(Conversion conversion, Lane from, Lane to) {
  switch (conversion) {
  case Conversion::SignExtend:
    return forInteger(to, []<class To>(To) -> Handler { return fromCondition<To, true>; });
  case Conversion::ZeroExtend:
    return forInteger(to, []<class To>(To) -> Handler { return fromCondition<To, false>; });
  case Conversion::SignedToFloat:
    return forAnyFloat(to, []<class To>(To) -> Handler { return fromCondition<To, true>; });
  case Conversion::UnsignedToFloat:
    return forAnyFloat(to, []<class To>(To) -> Handler { return fromCondition<To, false>; });
  case Conversion::Truncate:
    return forInteger(from, []<class From>(From) -> Handler { return lowestBit<From>; });
  case Conversion::FloatToSigned:
    return forAnyFloat(from, []<class From>(From) -> Handler { return toCondition<From, true>; });
  case Conversion::FloatToUnsigned:
    return forAnyFloat(from, []<class From>(From) -> Handler { return toCondition<From, false>; });
  default:
    return nullptr;
  }
}

}   // namespace

Handler convertHandler(Conversion conversion, Lane from, Lane to) {
  if (from == Lane::I1 || to == Lane::I1)
    return conditionHandler(conversion, from, to);
  switch (conversion) {
  case Conversion::SignExtend:
  case Conversion::Truncate:
    return betweenIntegers<Signed, Signed>(from, to);
  case Conversion::ZeroExtend:
    return betweenIntegers<Unsigned, Signed>(from, to);
  case Conversion::SignedToFloat:
    return toFloat<Signed>(from, to);
  case Conversion::UnsignedToFloat:
    return toFloat<Unsigned>(from, to);
  case Conversion::FloatToSigned:
    return fromFloat<Signed>(from, to);
  case Conversion::FloatToUnsigned:
    return fromFloat<Unsigned>(from, to);
  case Conversion::FloatToFloat:
    return betweenFloats<Rounding::nearest_even>(from, to);
  case Conversion::FloatToFloatTowardZero:
    return betweenFloats<Rounding::toward_zero>(from, to);
  }
  return nullptr;
}

}   // namespace tile::interpreter
