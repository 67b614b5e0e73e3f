// SPDX-License-Identifier: MIT
// Loads, stores and matrix products.
#pragma once

#include <tile/operators.h>

namespace tile {

namespace detail {
template <class P> constexpr bool writable() {
  static_assert(!std::is_const_v<P>, "store through Ptr<const T>: declare the kernel parameter as Ptr<T>");
  return !std::is_const_v<P>;
}
template <class E, class V> constexpr bool storable() {
  constexpr bool fits = !DeviceValue<V> ? (HostNumber<V> || StorageFloat<V>) && !PointerElement<E>
                                        : std::is_convertible_v<element_of_t<V>, E> &&
                                              (PointerElement<E> || std::same_as<element_of_t<V>, E>);
  if constexpr (!fits && DeviceValue<V>)
    refuse_store<E, element_of_t<V>>();
  else
    static_assert(
        fits, "the value has another element type than the pointers it is written through: convert it with "
              "tile::cast<T>(x)");
  return fits;
}
template <class V>
concept NotAccess = !std::same_as<V, Access> && !std::same_as<V, Loc>;
}   // namespace detail

// load(p [, mask [, other]] [, Access{...}]). Where the mask is false, memory is not accessed and the element
// is `other`, or 0 without `other`.
template <class P>
[[nodiscard]] Tensor<std::remove_const_t<P>> load(const Tensor<P *> &p, Access access = {},
                                                  Loc l = Loc::current()) {
  return Tensor<std::remove_const_t<P>>(detail::load(p.use(l), nullptr, nullptr, access));
}
template <class P, detail::NotAccess M>
[[nodiscard]] Tensor<std::remove_const_t<P>> load(const Tensor<P *> &p, const M &mask, Access access = {},
                                                  Loc l = Loc::current()) {
  using E = std::remove_const_t<P>;
  if constexpr (detail::is_condition<M>()) {
    detail::Use pointers = p.use(l), m = detail::operand<i1>(mask, l);
    return Tensor<E>(detail::load(pointers, &m, nullptr, access));
  } else
    return Tensor<E>(detail::Use{});
}
template <class P, detail::NotAccess M, detail::NotAccess V>
[[nodiscard]] Tensor<std::remove_const_t<P>> load(const Tensor<P *> &p, const M &mask, const V &other,
                                                  Access access = {}, Loc l = Loc::current()) {
  using E = std::remove_const_t<P>;
  if constexpr (detail::is_condition<M>() && detail::fits_element<E, V>()) {
    detail::Use pointers = p.use(l), m = detail::operand<i1>(mask, l), o = detail::operand<E>(other, l);
    return Tensor<E>(detail::load(pointers, &m, &o, access));
  } else
    return Tensor<E>(detail::Use{});
}

// A store does not convert the value, because a narrowing conversion must be visible in the source.
template <class P, class V>
void store(const Tensor<P *> &p, const V &value, Access access = {}, Loc l = Loc::current()) {
  using E = std::remove_const_t<P>;
  if constexpr (detail::writable<P>() && detail::storable<E, V>()) {
    detail::Use pointers = p.use(l), v = detail::operand<E>(value, l);
    detail::store(pointers, v, nullptr, access);
  }
}
template <class P, class V, detail::NotAccess M>
void store(const Tensor<P *> &p, const V &value, const M &mask, Access access = {}, Loc l = Loc::current()) {
  using E = std::remove_const_t<P>;
  if constexpr (detail::writable<P>() && detail::storable<E, V>() && detail::is_condition<M>()) {
    detail::Use pointers = p.use(l), v = detail::operand<E>(value, l), m = detail::operand<i1>(mask, l);
    detail::store(pointers, v, &m, access);
  }
}

// Orders accesses of this program to global memory, from different lanes: earlier ones before later ones.
inline void barrier(Loc l = Loc::current()) { detail::barrier(l); }

// ------------------------------------------------------------------------- products

namespace detail {
template <class A>
using default_accumulator =
    std::conditional_t<IntElement<A>, i32, std::conditional_t<std::same_as<A, f64>, f64, f32>>;

template <class A, class B> constexpr bool multiply() {
  constexpr bool bytes = IntElement<A> && IntElement<B> && sizeof(A) == 1 && sizeof(B) == 1;
  constexpr bool ok = (std::same_as<A, B> && FloatElement<A>) || (Fp8<A> && Fp8<B>) || bytes;
  if constexpr (!same<A, B> && !(is_fp8<A> && is_fp8<B>) && !bytes)
    refuse_product<A, B>();
  static_assert(!same<A, B> || is_float<A> || bytes,
                "dot multiplies f16, bf16, f32, f64, fp8 and 8-bit integers");
  return ok;
}
template <class A, class C> constexpr bool accumulate() {
  constexpr bool ok =
      std::same_as<C, default_accumulator<A>> || (std::same_as<C, f16> && (std::same_as<A, f16> || Fp8<A>));
  static_assert(ok,
                "dot accumulates in f32 (f16 on request for f16 and fp8 operands; i32 for 8-bit integers; "
                "f64 for f64): pass such an accumulator and tile::cast<T>(x) the result");
  return ok;
}
}   // namespace detail

// The matrix product a * b, or acc + a * b. `dot<f16>(a, b)` sets another accumulator type than the default.
template <class C = void, class A, class B>
auto dot(const Tensor<A> &a, const Tensor<B> &b, DotOptions options = {}, Loc l = Loc::current()) {
  using Acc = std::conditional_t<std::is_void_v<C>, detail::default_accumulator<A>, C>;
  if constexpr (detail::multiply<A, B>() && detail::accumulate<A, Acc>())
    return Tensor<Acc>(detail::dot(a.use(l), b.use(l), nullptr, element_type<Acc>, options));
  else
    return Tensor<Acc>(detail::Use{});
}
template <class A, class B, class C>
Tensor<C> dot(const Tensor<A> &a, const Tensor<B> &b, const Tensor<C> &acc, DotOptions options = {},
              Loc l = Loc::current()) {
  if constexpr (detail::multiply<A, B>() && detail::accumulate<A, C>()) {
    detail::Use x = a.use(l), y = b.use(l), z = acc.use(l);
    return Tensor<C>(detail::dot(x, y, &z, element_type<C>, options));
  } else
    return acc;
}

}   // namespace tile
