// SPDX-License-Identifier: MIT
// Facts that the compiler may rely on, and what a kernel checks or says while it runs.
#pragma once

#include "tile/operators.h"

namespace tile {

// Each gives x back, promised to have a property. Keep the result: x = assume_divisible(x, 16).
// Every element is a multiple of n; of a pointer: its address in bytes is.
template <class T>
[[nodiscard]] Tensor<T> assume_divisible(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  constexpr bool ok = IntElement<T> || PointerElement<T>;
  static_assert(ok, "assume_divisible speaks of integers and pointers");
  if constexpr (ok)
    return Tensor<T>(detail::assume(x.use(l), detail::Fact::divisible, n));
  else
    return x;
}
// Along the last axis runs of n elements count up by one.
template <class T>
[[nodiscard]] Tensor<T> assume_contiguous(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  constexpr bool ok = IntElement<T> || PointerElement<T>;
  static_assert(ok, "assume_contiguous speaks of integers and pointers");
  if constexpr (ok)
    return Tensor<T>(detail::assume(x.use(l), detail::Fact::contiguous, n));
  else
    return x;
}
// Along the last axis runs of n elements are equal.
template <class T>
[[nodiscard]] Tensor<T> assume_constant(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  return Tensor<T>(detail::assume(x.use(l), detail::Fact::constant, n));
}
// Every element lies in low .. high, both included.
template <class T>
[[nodiscard]] Tensor<T> assume_range(const Tensor<T> &x, HostInt low, HostInt high, Loc l = Loc::current()) {
  static_assert(detail::is_integer<T>, "assume_range speaks of integers");
  if constexpr (IntElement<T>)
    return Tensor<T>(detail::assume_range(x.use(l), low, high));
  else
    return x;
}
template <class C> void assume(const C &condition, Loc l = Loc::current()) {
  if constexpr (detail::is_condition<C>())
    detail::assume_true(detail::operand<i1>(condition, l));
}

// Stops the program where the condition does not hold (and the mask is true), when asserts are on.
template <class C> void device_assert(const C &condition, const char *message, Loc l = Loc::current()) {
  if constexpr (detail::is_condition<C>())
    detail::device_assert(detail::operand<i1>(condition, l), message, nullptr);
}
template <class C, class M>
  requires(!std::same_as<M, Loc>)
void device_assert(const C &condition, const char *message, const M &mask, Loc l = Loc::current()) {
  if constexpr (detail::is_condition<C>() && detail::is_condition<M>()) {
    detail::Use m = detail::operand<i1>(mask, l);
    detail::device_assert(detail::operand<i1>(condition, l), message, &m);
  }
}

// The text before printed values, with the user's line.
struct Prefix {
  const char *text;
  Loc loc;
  Prefix(const char *t, Loc l = Loc::current()) : text(t), loc(l) {}
};
// One line per program and element: prefix, program, index, value.
template <class... T> void print(Prefix prefix, const Tensor<T> &...x) {
  detail::print(prefix.text, false, {x.use(prefix.loc)...}, prefix.loc);
}
template <class V, class... T> void print(const Tensor<V> &, const T &...) {
  static_assert(detail::always_false<V>, "print takes a text before the values: tile::print(\"x\", x)");
}
template <class V, class... T> void print_hex(const Tensor<V> &, const T &...) {
  static_assert(detail::always_false<V>,
                "print_hex takes a text before the values: tile::print_hex(\"x\", x)");
}
template <class... T> void print_hex(Prefix prefix, const Tensor<T> &...x) {   // the bits of the values
  detail::print(prefix.text, true, {x.use(prefix.loc)...}, prefix.loc);
}

}   // namespace tile
