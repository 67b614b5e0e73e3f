// SPDX-License-Identifier: MIT
// The shapes of loop that elementwise operations share. `Op` is a type whose `apply` maps
// computed values to a computed value; `T` is the C++ type of the lanes in the frame.
#pragma once

#include "compiler/interpreter/machine.h"

namespace tile::interpreter {

// The result of arithmetic as it goes back to a lane: rounded once, and every NaN the same.
template <class T, class Computed> constexpr T settled(Computed value) {
  if constexpr (!std::is_floating_point_v<Computed>)
    return close<T>(value);
  else if constexpr (std::is_floating_point_v<T>)   // of f64, perhaps, where one operation computes in it
    return numeric::canonical(close<T>(value));
  else
    return close<T>(numeric::canonical(value));
}

template <class Op, class To, class From> void mapLanes(const Instruction &i, Machine &m) {
  To *r = m.at<To>(i.result);
  const From *a = m.at<From>(i.a);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = settled<To>(Op::apply(open(a[n])));
}

template <class Op, class T> void combineLanes(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = settled<T>(Op::apply(open(a[n]), open(b[n])));
}

template <class Op, class T> void combineThreeLanes(const Instruction &i, Machine &m) {
  T *r = m.at<T>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b), *c = m.at<T>(i.c);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = settled<T>(Op::apply(open(a[n]), open(b[n]), open(c[n])));
}

// To a condition.
template <class Op, class T> void compareLanes(const Instruction &i, Machine &m) {
  std::uint8_t *r = m.at<std::uint8_t>(i.result);
  const T *a = m.at<T>(i.a), *b = m.at<T>(i.b);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = static_cast<std::uint8_t>(Op::apply(open(a[n]), open(b[n])));
}

}   // namespace tile::interpreter
