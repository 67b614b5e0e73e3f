// SPDX-License-Identifier: MIT
// Facts that the compiler may rely on, and functions that check or print while a kernel runs.
#pragma once

#include <tile/operators.h>

namespace tile {

namespace detail {
struct PlacedPointer : Use {   // and the user's line
  template <class T>
    requires PointerElement<T>
  PlacedPointer(const Tensor<T> &p, Loc l = Loc::current()) : Use(p.use(l)) {}
};
}   // namespace detail

// Each of these returns x with the promise of a property. Use the result: x = assume_divisible(x, 16).
// Promises that every element is a multiple of n. For a pointer, its address in bytes is one.
template <class T>
[[nodiscard]] Tensor<T> assume_divisible(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  constexpr bool ok = IntElement<T> || PointerElement<T>;
  static_assert(ok, "assume_divisible works on integers and pointers");
  if constexpr (ok)
    return Tensor<T>(detail::assume(x.use(l), detail::Fact::divisible, n));
  else
    return x;
}
// Promises that along the last axis, runs of n elements count up by one.
template <class T>
[[nodiscard]] Tensor<T> assume_contiguous(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  constexpr bool ok = IntElement<T> || PointerElement<T>;
  static_assert(ok, "assume_contiguous works on integers and pointers");
  if constexpr (ok)
    return Tensor<T>(detail::assume(x.use(l), detail::Fact::contiguous, n));
  else
    return x;
}
// Promises that along the last axis, runs of n elements are equal.
template <class T>
[[nodiscard]] Tensor<T> assume_constant(const Tensor<T> &x, HostInt n, Loc l = Loc::current()) {
  return Tensor<T>(detail::assume(x.use(l), detail::Fact::constant, n));
}
// Promises that every element is in low .. high, both included.
template <class T>
[[nodiscard]] Tensor<T> assume_range(const Tensor<T> &x, HostInt low, HostInt high, Loc l = Loc::current()) {
  static_assert(detail::is_integer<T>, "assume_range works on integers");
  if constexpr (IntElement<T>)
    return Tensor<T>(detail::assume_range(x.use(l), low, high));
  else
    return x;
}
template <class C> void assume(const C &condition, Loc l = Loc::current()) {
  if constexpr (detail::is_condition<C>())
    detail::assume_true(detail::operand<i1>(condition, l));
}

// Promises that p points into another buffer than each of the others: what the program stores through p, it
// does not load through them.
template <class... T>
  requires(sizeof...(T) > 0 && (PointerElement<T> && ...))
void assume_apart(const detail::PlacedPointer &p, const Tensor<T> &...others) {
  (detail::assume_apart(p, others.use(p.loc)), ...);
}

// Stops the program if the condition is false (and the mask is true). Acts only when asserts are on.
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

// The text before the printed values, and the user's line.
struct Prefix {
  const char *text;
  Loc loc;
  Prefix(const char *t, Loc l = Loc::current()) : text(t), loc(l) {}
};
// Prints one line for each program and element: prefix, program, index, value.
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
template <class... T> void print_hex(Prefix prefix, const Tensor<T> &...x) {   // the values as bits
  detail::print(prefix.text, true, {x.use(prefix.loc)...}, prefix.loc);
}

}   // namespace tile
