// SPDX-License-Identifier: MIT
// Operators between different types: pointer arithmetic, and operators that refuse two tensors of different
// element types in one sentence.
#pragma once

#include <tile/tensor.h>

namespace tile {

template <class T> Tensor<T *> operator+(const Tensor<T *> &p, Offset o) {
  return Tensor<T *>(detail::add_pointer(p.use(o.loc), o));
}
template <class T> Tensor<T *> operator+(Offset o, const Tensor<T *> &p) {
  return Tensor<T *>(detail::add_pointer(p.use(o.loc), o));
}
template <class T> Tensor<T *> operator-(const Tensor<T *> &p, Offset o) {
  return Tensor<T *>(detail::subtract_pointer(p.use(o.loc), o));
}
template <class T> Tensor<T *> &operator+=(Tensor<T *> &p, Offset o) {
  p.assign(detail::add_pointer(p.use(o.loc), o));
  return p;
}
template <class T> Tensor<T *> &operator-=(Tensor<T *> &p, Offset o) {
  p.assign(detail::subtract_pointer(p.use(o.loc), o));
  return p;
}

// Refuse two pointers. Without these, the two operators with Offset are ambiguous.
template <class A, class B> Tensor<A *> operator+(const Tensor<A *> &p, const Tensor<B *> &) {
  detail::arithmetic<A *>();
  return p;
}
template <class A, class B> Tensor<A *> operator-(const Tensor<A *> &p, const Tensor<B *> &) {
  detail::arithmetic<A *>();
  return p;
}

namespace detail {

template <class A, class B>
concept MixedInPlace = !std::same_as<A, B> && !PointerElement<A> && !PointerElement<B> && !Widens<B, A>;
template <class A, class B>
concept Mixed = MixedInPlace<A, B> && !Widens<A, B>;
template <class A, class B> constexpr bool same_element() {   // B is used as A
  if constexpr (!same<A, B> && !widens<B, A>)
    refuse_mixed<A, B>();
  return std::same_as<A, B> || Widens<B, A>;
}

// The element type of a device value; void for anything else.
template <class T> T element_of_device(const Tensor<T> *);
void element_of_device(const void *);
template <class A>
using element_of_t = decltype(element_of_device(static_cast<const std::remove_reference_t<A> *>(nullptr)));
template <class A>
concept DeviceValue = !std::same_as<element_of_t<A>, void>;

template <class... A> struct first_element {
  using type = void;
};
template <class A, class... Rest> struct first_element<A, Rest...> {
  using type = typename std::conditional_t<DeviceValue<A>, std::type_identity<element_of_t<A>>,
                                           first_element<Rest...>>::type;
};
// The element type that the operands of a call share: the first tensor's, or i64 for i32 together with i64.
template <class... A>
using common_element = std::conditional_t<std::same_as<typename first_element<A...>::type, i32> &&
                                              (std::same_as<element_of_t<A>, i64> || ...),
                                          i64, typename first_element<A...>::type>;
template <class... A>
concept SomeDevice = (DeviceValue<A> || ...);

// True if the operand is a tensor of T or converts to one.
template <class T, class A> constexpr bool fits_element() {
  if constexpr (DeviceValue<A>)
    return same_element<T, element_of_t<A>>();
  else {
    static_assert(is_host_number<A> || is_storage_float<A>, "an operand is a tensor or a number");
    return HostNumber<A> || StorageFloat<A>;
  }
}
// A mask or condition is a tensor of conditions or the literal true or false.
template <class M> constexpr bool is_condition() {
  constexpr bool ok = same<element_of_t<M>, bool> || same<M, bool>;
  static_assert(ok, "a condition or mask is a tensor of i1: write x != 0");
  return ok;
}
template <class A, class B>
concept OtherPointee = !std::same_as<std::remove_const_t<A>, std::remove_const_t<B>>;
template <class A, class B> constexpr bool same_pointee() {
  static_assert(same<A, B>,
                "pointers of different element types do not compare: tile::bitcast<tile::i64>(p) gives "
                "an address");
  return same<A, B>;
}
template <class T, class A> Use operand(const A &a, Loc l) { return static_cast<Use>(Operand<T>(a, l)); }

}   // namespace detail

template <class A, class B>
  requires detail::OtherPointee<A, B>
Tensor<i1> operator==(const Tensor<A *> &, const Tensor<B *> &) {
  detail::same_pointee<A, B>();
  return Tensor<i1>(detail::Use{});
}
template <class A, class B>
  requires detail::OtherPointee<A, B>
Tensor<i1> operator!=(const Tensor<A *> &, const Tensor<B *> &) {
  detail::same_pointee<A, B>();
  return Tensor<i1>(detail::Use{});
}

// Refuse two tensors of different element types in one sentence. Without these, compilers print a page of
// candidates. The price: `requires { a + b; }` is true for two tensors that do not combine.
#define TILE_REJECT_MIXED(op)                                                                                \
  template <class A, class B>                                                                                \
    requires detail::Mixed<A, B>                                                                             \
  Tensor<A> operator op(const Tensor<A> &a, const Tensor<B> &) {                                             \
    detail::same_element<A, B>();                                                                            \
    return a;                                                                                                \
  }
#define TILE_REJECT_MIXED_ASSIGN(op)                                                                         \
  template <class A, class B>                                                                                \
    requires detail::MixedInPlace<A, B>                                                                      \
  Tensor<A> &operator op(Tensor<A> &a, const Tensor<B> &) {                                                  \
    detail::same_element<A, B>();                                                                            \
    return a;                                                                                                \
  }
TILE_REJECT_MIXED(+)
TILE_REJECT_MIXED(-)
TILE_REJECT_MIXED(*)
TILE_REJECT_MIXED(/)
TILE_REJECT_MIXED(%)
TILE_REJECT_MIXED(&)
TILE_REJECT_MIXED(|)
TILE_REJECT_MIXED(^)
TILE_REJECT_MIXED(<<)
TILE_REJECT_MIXED(>>)
TILE_REJECT_MIXED(<)
TILE_REJECT_MIXED(<=)
TILE_REJECT_MIXED(>)
TILE_REJECT_MIXED(>=)
TILE_REJECT_MIXED(==)
TILE_REJECT_MIXED(!=)
TILE_REJECT_MIXED_ASSIGN(+=)
TILE_REJECT_MIXED_ASSIGN(-=)
TILE_REJECT_MIXED_ASSIGN(*=)
TILE_REJECT_MIXED_ASSIGN(/=)
TILE_REJECT_MIXED_ASSIGN(%=)
TILE_REJECT_MIXED_ASSIGN(&=)
TILE_REJECT_MIXED_ASSIGN(|=)
TILE_REJECT_MIXED_ASSIGN(^=)
TILE_REJECT_MIXED_ASSIGN(<<=)
TILE_REJECT_MIXED_ASSIGN(>>=)
#undef TILE_REJECT_MIXED
#undef TILE_REJECT_MIXED_ASSIGN

}   // namespace tile
