// SPDX-License-Identifier: MIT
// Atomic operations. They read, combine and write each element in one step, and return the old values.
// Where the mask is false, memory is not accessed and the result is 0.
#pragma once

#include <tile/memory.h>

namespace tile {

namespace detail {
template <class M>
concept AtomicMask = !std::same_as<M, Order> && !std::same_as<M, Scope> && !std::same_as<M, Loc>;

template <class T> constexpr bool atomic_adds = (IntElement<T> && sizeof(T) >= 4) || ArithmeticFloat<T>;
template <class T> constexpr bool atomic_orders = Number<T> && sizeof(T) >= 4;
template <class T> constexpr bool atomic_bits = IntElement<T> && sizeof(T) >= 4;
template <class T> constexpr bool atomic_swaps = Number<T> && sizeof(T) >= 4;
template <class T> constexpr bool atomic_compares = (Number<T> && sizeof(T) >= 2);
}   // namespace detail

#define TILE_ATOMIC(name, code, accepted, sentence)                                                          \
  template <class P, class V>                                                                                \
  Tensor<std::remove_const_t<P>> name(const Tensor<P *> &p, const V &value, Order order = Order::acq_rel,    \
                                      Scope scope = Scope::gpu, Loc l = Loc::current()) {                    \
    using E = std::remove_const_t<P>;                                                                        \
    static_assert(detail::accepted<E>, sentence);                                                            \
    if constexpr (detail::accepted<E> && detail::writable<P>() && detail::storable<E, V>()) {                \
      detail::Use pointers = p.use(l), v = detail::operand<E>(value, l);                                     \
      return Tensor<E>(detail::atomic(detail::Update::code, pointers, v, nullptr, order, scope));            \
    } else                                                                                                   \
      return Tensor<E>(detail::Use{});                                                                       \
  }                                                                                                          \
  template <class P, class V, detail::AtomicMask M>                                                          \
  Tensor<std::remove_const_t<P>> name(const Tensor<P *> &p, const V &value, const M &mask,                   \
                                      Order order = Order::acq_rel, Scope scope = Scope::gpu,                \
                                      Loc l = Loc::current()) {                                              \
    using E = std::remove_const_t<P>;                                                                        \
    static_assert(detail::accepted<E>, sentence);                                                            \
    if constexpr (detail::accepted<E> && detail::writable<P>() && detail::storable<E, V>() &&                \
                  detail::is_condition<M>()) {                                                               \
      detail::Use pointers = p.use(l), v = detail::operand<E>(value, l), m = detail::operand<i1>(mask, l);   \
      return Tensor<E>(detail::atomic(detail::Update::code, pointers, v, &m, order, scope));                 \
    } else                                                                                                   \
      return Tensor<E>(detail::Use{});                                                                       \
  }
TILE_ATOMIC(atomic_add, add, atomic_adds,
            "atomic_add works on integers of 32 and 64 bits, f16, bf16, f32 and f64")
// Floats compare by their total order: -NaN < -inf < .. < -0 < +0 < .. < +inf < +NaN.
TILE_ATOMIC(atomic_max, max, atomic_orders, "atomic_max works on integers of 32 and 64 bits, f32 and f64")
TILE_ATOMIC(atomic_min, min, atomic_orders, "atomic_min works on integers of 32 and 64 bits, f32 and f64")
TILE_ATOMIC(atomic_and, bit_and, atomic_bits, "atomic_and works on integers of 32 and 64 bits")
TILE_ATOMIC(atomic_or, bit_or, atomic_bits, "atomic_or works on integers of 32 and 64 bits")
TILE_ATOMIC(atomic_xor, bit_xor, atomic_bits, "atomic_xor works on integers of 32 and 64 bits")
TILE_ATOMIC(atomic_xchg, exchange, atomic_swaps,
            "atomic_xchg works on integers of 32 and 64 bits, f32 and f64")
#undef TILE_ATOMIC

// Stores `desired` where memory holds the bits of `expected`. Returns the old values.
template <class P, class A, class B>
Tensor<std::remove_const_t<P>> atomic_cas(const Tensor<P *> &p, const A &expected, const B &desired,
                                          Order order = Order::acq_rel, Scope scope = Scope::gpu,
                                          Loc l = Loc::current()) {
  using E = std::remove_const_t<P>;
  static_assert(detail::atomic_compares<E>, "atomic_cas works on numbers of 16, 32 and 64 bits");
  if constexpr (detail::atomic_compares<E> && detail::writable<P>() && detail::storable<E, A>() &&
                detail::storable<E, B>()) {
    detail::Use pointers = p.use(l), x = detail::operand<E>(expected, l), y = detail::operand<E>(desired, l);
    return Tensor<E>(detail::atomic_cas(pointers, x, y, order, scope));
  } else
    return Tensor<E>(detail::Use{});
}

}   // namespace tile
