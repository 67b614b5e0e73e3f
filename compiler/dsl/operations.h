// SPDX-License-Identifier: MIT
// Functions that make, convert, compute and reshape tiles. The last parameter of each is the user's line.
#pragma once

#include <tile/operators.h>

#include <array>
#include <utility>

namespace tile {

// ------------------------------------------------------------------------ programs

inline Int program_id(HostInt axis, Loc l = Loc::current()) { return Int(detail::program_id(axis, l)); }
inline Int num_programs(HostInt axis, Loc l = Loc::current()) { return Int(detail::num_programs(axis, l)); }

// --------------------------------------------------------------------- making tiles

inline Tensor<i32> arange(HostInt lo, HostInt hi, Loc l = Loc::current()) {
  return Tensor<i32>(detail::arange(lo, hi, l));
}
// A scalar of element type T.
template <class T, class U> Tensor<T> constant(U value, Loc l = Loc::current()) {
  return Tensor<T>(value, l);
}

template <class T, class U> Tensor<T> full(const HostInts &shape, const U &value, Loc l = Loc::current()) {
  if constexpr (detail::fits_element<T, U>())
    return Tensor<T>(detail::full(shape, detail::operand<T>(value, l), l));
  else
    return Tensor<T>(detail::Use{});
}
template <class T> Tensor<T> zeros(const HostInts &shape, Loc l = Loc::current()) {
  if constexpr (std::same_as<T, bool>)
    return full<T>(shape, false, l);
  else
    return full<T>(shape, 0, l);
}
// A tile with x's shape. The element type is T, or x's own if T is left out.
template <class T = void, class U> auto zeros_like(const Tensor<U> &x, Loc l = Loc::current()) {
  return zeros<std::conditional_t<std::is_void_v<T>, U, T>>(x.shape(), l);
}
template <class T = void, class U, class V>
auto full_like(const Tensor<U> &x, const V &value, Loc l = Loc::current()) {
  return full<std::conditional_t<std::is_void_v<T>, U, T>>(x.shape(), value, l);
}

// ---------------------------------------------------------------------- conversions

// These are free functions, because a call of a member inside a template would be x.template to<T>().
template <class To, class From> Tensor<To> cast(const Tensor<From> &x, Loc l = Loc::current()) {
  constexpr bool numbers = !PointerElement<From> && !PointerElement<To>;
  static_assert(numbers,
                "a pointer does not convert to a number: tile::bitcast<tile::i64>(p) gives its address");
  if constexpr (numbers)
    return Tensor<To>(detail::convert(x.use(l), element_type<To>));
  else
    return Tensor<To>(x.use(l));
}
template <class To, class From>
Tensor<To> cast(const Tensor<From> &x, Rounding rounding, Loc l = Loc::current()) {
  constexpr bool floats = FloatElement<From> && FloatElement<To>;
  static_assert(floats, "a rounding can be given only for conversions between floating-point types");
  if constexpr (floats)
    return Tensor<To>(detail::convert(x.use(l), element_type<To>, rounding));
  else
    return Tensor<To>(x.use(l));
}
// The same bits as another type of the same width. Pointers are 64 bits wide.
template <class To, class From> Tensor<To> bitcast(const Tensor<From> &x, Loc l = Loc::current()) {
  constexpr bool fits = sizeof(To) == sizeof(From) && std::same_as<To, bool> == std::same_as<From, bool>;
  static_assert(fits,
                "bitcast keeps the bits, so both types have the same width: tile::cast converts values");
  if constexpr (fits)
    return Tensor<To>(detail::bitcast(x.use(l), element_type<To>));
  else
    return Tensor<To>(detail::Use{});
}

// ---------------------------------------------------------------------- elementwise

// where(c, a, b) gives a where c is true, else b. Both are evaluated.
template <class C, class A, class B>
  requires detail::SomeDevice<A, B>
auto where(const C &c, const A &a, const B &b, Loc l = Loc::current()) {
  using T = detail::common_element<A, B>;
  if constexpr (detail::is_condition<C>() && detail::fits_element<T, A>() && detail::fits_element<T, B>())
    return Tensor<T>(
        detail::where(detail::operand<i1>(c, l), detail::operand<T>(a, l), detail::operand<T>(b, l)));
  else
    return Tensor<T>(detail::Use{});
}

// Refuses two literals, because they have no element type.
template <class C, class A, class B>
  requires(detail::DeviceValue<C> && !detail::SomeDevice<A, B>)
auto where(const C &c, const A &, const B &, Loc = Loc::current()) {
  static_assert(detail::always_false<A>,
                "one of the two values of where must be a tensor: write tile::constant<tile::f32>(1) for one "
                "of them, or tile::cast<tile::f32>(c)");
  return c;
}

#define TILE_BINARY(name, code, Domain, sentence)                                                            \
  template <class A, class B>                                                                                \
    requires detail::SomeDevice<A, B>                                                                        \
  auto name(const A &a, const B &b, Loc l = Loc::current()) {                                                \
    using T = detail::common_element<A, B>;                                                                  \
    static_assert(detail::Domain<T>, sentence);                                                              \
    if constexpr (detail::Domain<T> && detail::fits_element<T, A>() && detail::fits_element<T, B>())         \
      return Tensor<T>(                                                                                      \
          detail::binary(detail::Binary::code, detail::operand<T>(a, l), detail::operand<T>(b, l)));         \
    else                                                                                                     \
      return Tensor<T>(detail::Use{});                                                                       \
  }
// The exact ceiling of a / b for a >= 0, b > 0.
TILE_BINARY(cdiv, cdiv, is_integer, "cdiv works on integers")
// The high half of the product, which is twice as wide as the operands.
TILE_BINARY(mulhi, mulhi, is_integer, "mulhi works on integers")
// A quotient with an error of at most 2 units in the last place.
TILE_BINARY(fdiv_approx, approx_div, is_arithmetic_float, "fdiv_approx works on f16, bf16, f32 and f64")
// a to the power of b. Zeros, infinities, NaNs and negative numbers follow the rules of C.
TILE_BINARY(pow, pow, is_arithmetic_float,
            "pow works on f16, bf16, f32 and f64: write tile::pow(tile::cast<tile::f32>(x), y)")
#undef TILE_BINARY

// cdiv on the host. It takes negative numbers, too. b = 0 acts as 1; the smallest number / -1 is itself.
template <std::integral A, std::integral B> constexpr auto cdiv(A a, B b) {
  using C = decltype(a / b);
  constexpr bool ok = HostInteger<A> && HostInteger<B> && std::is_signed_v<A> == std::is_signed_v<B>;
  static_assert(ok, "cdiv divides two integers, both with a sign or both without: convert one");
  const C x = static_cast<C>(a), y = static_cast<C>(b);
  if (y == 0)
    return x;
  if constexpr (std::is_signed_v<C>)
    if (y == C{-1})
      return x == std::numeric_limits<C>::min() ? x : static_cast<C>(-x);
  const C quotient = x / y;   // rounded toward zero, so a negative quotient is rounded up already
  return static_cast<C>(quotient + (x % y != 0 && (x < 0) == (y < 0)));
}

template <class A, class B>
  requires detail::SomeDevice<A, B>
auto minimum(const A &a, const B &b, Nan nan = Nan::ignore, Loc l = Loc::current()) {
  using T = detail::common_element<A, B>;
  if constexpr (detail::comparable<T>() && detail::fits_element<T, A>() && detail::fits_element<T, B>())
    return Tensor<T>(
        detail::binary(detail::Binary::min, detail::operand<T>(a, l), detail::operand<T>(b, l), nan));
  else
    return Tensor<T>(detail::Use{});
}
template <class A, class B>
  requires detail::SomeDevice<A, B>
auto maximum(const A &a, const B &b, Nan nan = Nan::ignore, Loc l = Loc::current()) {
  using T = detail::common_element<A, B>;
  if constexpr (detail::comparable<T>() && detail::fits_element<T, A>() && detail::fits_element<T, B>())
    return Tensor<T>(
        detail::binary(detail::Binary::max, detail::operand<T>(a, l), detail::operand<T>(b, l), nan));
  else
    return Tensor<T>(detail::Use{});
}
// minimum(maximum(x, low), high)
template <class X, class L, class H>
  requires detail::SomeDevice<X, L, H>
auto clamp(const X &x, const L &low, const H &high, Nan nan = Nan::ignore, Loc l = Loc::current()) {
  using T = detail::common_element<X, L, H>;
  if constexpr (detail::comparable<T>() && detail::fits_element<T, X>() && detail::fits_element<T, L>() &&
                detail::fits_element<T, H>())
    return Tensor<T>(detail::clamp(detail::operand<T>(x, l), detail::operand<T>(low, l),
                                   detail::operand<T>(high, l), nan));
  else
    return Tensor<T>(detail::Use{});
}
// a * b + c with one rounding.
template <class A, class B, class C>
  requires detail::SomeDevice<A, B, C>
auto fma(const A &a, const B &b, const C &c, Loc l = Loc::current()) {
  using T = detail::common_element<A, B, C>;
  static_assert(detail::is_arithmetic_float<T>, "fma works on f16, bf16, f32 and f64");
  if constexpr (ArithmeticFloat<T> && detail::fits_element<T, A>() && detail::fits_element<T, B>() &&
                detail::fits_element<T, C>())
    return Tensor<T>(
        detail::fma(detail::operand<T>(a, l), detail::operand<T>(b, l), detail::operand<T>(c, l)));
  else
    return Tensor<T>(detail::Use{});
}

template <class T> Tensor<T> abs(const Tensor<T> &x, Loc l = Loc::current()) {
  constexpr bool ok = IntElement<T> || FloatElement<T>;
  static_assert(ok, "abs works on integers and floats");
  if constexpr (ok)
    return Tensor<T>(detail::unary(detail::Unary::abs, x.use(l)));
  else
    return x;
}
#define TILE_UNARY(name, code)                                                                               \
  template <class T> Tensor<T> name(const Tensor<T> &x, Loc l = Loc::current()) {                            \
    static_assert(detail::is_arithmetic_float<T>, #name                                                      \
                  " works on f16, bf16, f32 and f64: write tile::" #name "(tile::cast<tile::f32>(x))");      \
    if constexpr (ArithmeticFloat<T>)                                                                        \
      return Tensor<T>(detail::unary(detail::Unary::code, x.use(l)));                                        \
    else                                                                                                     \
      return x;                                                                                              \
  }
TILE_UNARY(exp, exp)
TILE_UNARY(exp2, exp2)
TILE_UNARY(log, log)
TILE_UNARY(log2, log2)
TILE_UNARY(sqrt, sqrt)
TILE_UNARY(rsqrt, rsqrt)
TILE_UNARY(sin, sin)
TILE_UNARY(cos, cos)
TILE_UNARY(tanh, tanh)
TILE_UNARY(erf, erf)
TILE_UNARY(log1p, log1p)   // log(1 + x) and exp(x) - 1, accurate for small x
TILE_UNARY(expm1, expm1)
TILE_UNARY(floor, floor)
TILE_UNARY(ceil, ceil)
TILE_UNARY(trunc, trunc)
TILE_UNARY(round, round)   // halves away from zero, as std::round
TILE_UNARY(rint, rint)     // halves to even
TILE_UNARY(sqrt_approx, approx_sqrt)
TILE_UNARY(exp2_approx, approx_exp2)
#undef TILE_UNARY

#define TILE_CLASS_OF_FLOAT(name, function)                                                                  \
  template <class T> Tensor<i1> name(const Tensor<T> &x, Loc l = Loc::current()) {                           \
    static_assert(detail::is_arithmetic_float<T>, #name                                                      \
                  " works on f16, bf16, f32 and f64: write tile::" #name "(tile::cast<tile::f32>(x))");      \
    if constexpr (ArithmeticFloat<T>)                                                                        \
      return Tensor<i1>(detail::function(x.use(l)));                                                         \
    else                                                                                                     \
      return Tensor<i1>(false);                                                                              \
  }
TILE_CLASS_OF_FLOAT(isnan, is_nan)
TILE_CLASS_OF_FLOAT(isinf, is_infinite)
TILE_CLASS_OF_FLOAT(isfinite, is_finite)
#undef TILE_CLASS_OF_FLOAT

template <class T> Tensor<T> sigmoid(const Tensor<T> &x, Loc l = Loc::current()) {
  static_assert(detail::is_arithmetic_float<T>, "sigmoid works on f16, bf16, f32 and f64");
  if constexpr (ArithmeticFloat<T>)
    return Tensor<T>(detail::sigmoid(x.use(l)));
  else
    return x;
}
template <class T> Tensor<T> relu(const Tensor<T> &x, Loc l = Loc::current()) {   // a NaN stays a NaN
  return maximum(x, 0, Nan::propagate, l);
}
template <class T> Tensor<T> softmax(const Tensor<T> &x, HostInt axis, Loc l = Loc::current()) {
  static_assert(detail::is_arithmetic_float<T>, "softmax works on f16, bf16, f32 and f64");
  if constexpr (ArithmeticFloat<T>)
    return Tensor<T>(detail::softmax(x.use(l), axis));
  else
    return x;
}

// Programs walk a grid of size_i x size_j tiles in groups of `group` rows, so that neighbours share operands.
// (i, j) is the program's place in plain order. Returns its new (i, j).
std::pair<Int, Int> swizzle2d(Operand<i32> i, Operand<i32> j, Operand<i32> size_i, Operand<i32> size_j,
                              Operand<i32> group);

// ---------------------------------------------------------------------------- shape

template <class T> Tensor<T> expand_dims(const Tensor<T> &x, HostInt axis, Loc l = Loc::current()) {
  return Tensor<T>(detail::expand_dims(x.use(l), axis));
}
template <class T> Tensor<T> broadcast_to(const Tensor<T> &x, const HostInts &shape, Loc l = Loc::current()) {
  return Tensor<T>(detail::broadcast_to(x.use(l), shape));
}
// Keeps the row-major order of the elements.
template <class T> Tensor<T> reshape(const Tensor<T> &x, const HostInts &shape, Loc l = Loc::current()) {
  return Tensor<T>(detail::reshape(x.use(l), shape, false));
}
// The compiler chooses the order of the elements.
template <class T> Tensor<T> reshape_any_order(const Tensor<T> &x, const HostInts &shape,
                                               Loc l = Loc::current()) {
  return Tensor<T>(detail::reshape(x.use(l), shape, true));
}
template <class T> Tensor<T> ravel(const Tensor<T> &x, Loc l = Loc::current()) {
  return Tensor<T>(detail::ravel(x.use(l)));
}
template <class T> Tensor<T> squeeze(const Tensor<T> &x, HostInt axis, Loc l = Loc::current()) {
  return Tensor<T>(detail::squeeze(x.use(l), axis));
}
// Swaps the last two axes.
template <class T> Tensor<T> trans(const Tensor<T> &x, Loc l = Loc::current()) {
  return Tensor<T>(detail::trans(x.use(l)));
}
// Axis i of the result is axis order[i] of x.
template <class T>
Tensor<T> permute(const Tensor<T> &x, const HostInts &order, Loc l = Loc::current()) {
  return Tensor<T>(detail::permute(x.use(l), order));
}
// Joins a and b along a new last axis of extent 2. split() undoes it.
template <class T>
Tensor<T> join(const Tensor<T> &a, const std::type_identity_t<Tensor<T>> &b, Loc l = Loc::current()) {
  return Tensor<T>(detail::join(a.use(l), b.use(l)));
}
template <class T> std::pair<Tensor<T>, Tensor<T>> split(const Tensor<T> &x, Loc l = Loc::current()) {
  auto [a, b] = detail::split(x.use(l));
  return {Tensor<T>(a), Tensor<T>(b)};
}
// Gives a0 b0 a1 b1 ... along the last axis.
template <class T>
Tensor<T> interleave(const Tensor<T> &a, const std::type_identity_t<Tensor<T>> &b, Loc l = Loc::current()) {
  return Tensor<T>(detail::interleave(a.use(l), b.use(l)));
}
template <class T> Tensor<T> flip(const Tensor<T> &x, HostInt axis = -1, Loc l = Loc::current()) {
  return Tensor<T>(detail::flip(x.use(l), axis));
}
// result[.., i, ..] = source[.., index[.., i, ..], ..] along the axis.
template <class T, class I>
Tensor<T> gather(const Tensor<T> &source, const Tensor<I> &index, HostInt axis, Loc l = Loc::current()) {
  constexpr bool ok = std::same_as<I, i32> || std::same_as<I, i64>;
  static_assert(ok, "the index of gather is a tensor of i32 or i64: write tile::cast<tile::i32>(index)");
  if constexpr (ok)
    return Tensor<T>(detail::gather(source.use(l), index.use(l), axis));
  else
    return source;
}

}   // namespace tile
