// SPDX-License-Identifier: MIT
// Reductions and scans along an axis, with a fixed operation or with a combine function. The function is
// traced once with two scalars, or with two tuples of scalars. It must be associative, but need not be
// commutative. It must not use device values from outside.
#pragma once

#include <tile/operators.h>

#include <tuple>
#include <utility>

namespace tile {

// An axis: a number (negative ones count from the end) or all_axes.
struct AxisArgument {
  detail::WhichAxis axis;
  Loc loc;
  template <HostInteger U> AxisArgument(U a, Loc l = Loc::current()) : axis{HostInt(a, l), false}, loc(l) {}
  AxisArgument(all_axes_t, Loc l = Loc::current()) : axis{0, true}, loc(l) {}
  template <class U>
    requires(!HostInteger<U> && !std::same_as<U, AxisArgument>)
  AxisArgument(const U &, Loc l = Loc::current()) : loc(l) {
    static_assert(
        detail::always_false<U>,
        "an axis is an integer of the host or tile::all_axes; the larger and the smaller of two values "
        "are tile::maximum(a, b) and tile::minimum(a, b)");
  }
};

namespace detail {
template <class T> struct sum_type {
  using type = T;
};
template <class T>
  requires(std::integral<T> && sizeof(T) < 4)
struct sum_type<T> {
  using type = std::conditional_t<std::is_unsigned_v<T> && !std::same_as<T, bool>, u32, i32>;
};
template <class T> constexpr bool summable() {
  static_assert(is_number<T> || same<T, bool>,
                "this reduction works on numbers; fp8 types are for storage, conversion and dot: compute in "
                "tile::cast<tile::f32>(x)");
  return Number<T> || std::same_as<T, bool>;
}
template <class T> constexpr bool orderable() {
  static_assert(is_number<T>, "this reduction works on integers and on f16, bf16, f32 and f64");
  return Number<T>;
}
}   // namespace detail

// The element type of a sum. Sums of conditions and of integers below 32 bits are i32 or u32. Sums of f16 and
// bf16 keep their type: they are accumulated in f32 and rounded once.
template <class T> using sum_t = typename detail::sum_type<T>::type;

template <class T> Tensor<sum_t<T>> sum(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  if constexpr (detail::summable<T>())
    return Tensor<sum_t<T>>(
        detail::reduce(detail::Reduction::sum, x.use(axis.loc), axis.axis, keep, Nan::ignore));
  else
    return Tensor<sum_t<T>>(detail::Use{});
}

// Refuses calls without an axis, and calls as a function of two values.
#define TILE_NEEDS_AXIS(name)                                                                                \
  template <class T> Tensor<T> name(const Tensor<T> &x) {                                                    \
    static_assert(detail::always_false<T>, #name " takes an axis: " #name "(x, 0), or " #name                \
                                                 "(x, tile::all_axes) for the whole tile");                  \
    return x;                                                                                                \
  }                                                                                                          \
  template <HostNumber A, class T> Tensor<T> name(A, const Tensor<T> &x) {                                   \
    static_assert(detail::always_false<T>, #name " takes a tensor and an axis; the larger and the smaller "  \
                                                 "of two values are tile::maximum(a, b) and "                \
                                                 "tile::minimum(a, b)");                                     \
    return x;                                                                                                \
  }
TILE_NEEDS_AXIS(sum)
TILE_NEEDS_AXIS(max)
TILE_NEEDS_AXIS(min)
TILE_NEEDS_AXIS(argmax)
TILE_NEEDS_AXIS(argmin)
TILE_NEEDS_AXIS(xor_sum)
TILE_NEEDS_AXIS(any)
TILE_NEEDS_AXIS(all_of)
TILE_NEEDS_AXIS(cumsum)
TILE_NEEDS_AXIS(cumprod)
TILE_NEEDS_AXIS(cummax)
#undef TILE_NEEDS_AXIS

#define TILE_EXTREME(name, how, arg_name, with_index, largest)                                               \
  template <class T>                                                                                         \
  Tensor<T> name(const Tensor<T> &x, AxisArgument axis, Nan nan, KeepDims keep = KeepDims::no) {             \
    if constexpr (detail::orderable<T>())                                                                    \
      return Tensor<T>(detail::reduce(detail::Reduction::how, x.use(axis.loc), axis.axis, keep, nan));       \
    else                                                                                                     \
      return x;                                                                                              \
  }                                                                                                          \
  template <class T>                                                                                         \
  Tensor<T> name(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {                      \
    return name(x, axis, Nan::ignore, keep);                                                                 \
  }                                                                                                          \
  template <class T>                                                                                         \
  std::pair<Tensor<T>, Tensor<i32>> with_index(const Tensor<T> &x, AxisArgument axis, Nan nan,               \
                                               KeepDims keep = KeepDims::no) {                               \
    if constexpr (detail::orderable<T>()) {                                                                  \
      auto [v, i] = detail::arg_reduce(largest, x.use(axis.loc), axis.axis, keep, nan);                      \
      return {Tensor<T>(v), Tensor<i32>(i)};                                                                 \
    } else                                                                                                   \
      return {x, Tensor<i32>(0)};                                                                            \
  }                                                                                                          \
  template <class T>                                                                                         \
  std::pair<Tensor<T>, Tensor<i32>> with_index(const Tensor<T> &x, AxisArgument axis,                        \
                                               KeepDims keep = KeepDims::no) {                               \
    return with_index(x, axis, Nan::ignore, keep);                                                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  Tensor<i32> arg_name(const Tensor<T> &x, AxisArgument axis, Nan nan, KeepDims keep = KeepDims::no) {       \
    return with_index(x, axis, nan, keep).second;                                                            \
  }                                                                                                          \
  template <class T>                                                                                         \
  Tensor<i32> arg_name(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {                \
    return with_index(x, axis, Nan::ignore, keep).second;                                                    \
  }
TILE_EXTREME(max, max, argmax, max_with_index, true)
TILE_EXTREME(min, min, argmin, min_with_index, false)
#undef TILE_EXTREME

template <class T> Tensor<T> xor_sum(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  if constexpr (detail::bitwise<T>())
    return Tensor<T>(
        detail::reduce(detail::Reduction::bit_xor, x.use(axis.loc), axis.axis, keep, Nan::ignore));
  else
    return x;
}
inline Tensor<i1> any(const Tensor<i1> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  return Tensor<i1>(detail::reduce(detail::Reduction::any, x.use(axis.loc), axis.axis, keep, Nan::ignore));
}
inline Tensor<i1> all_of(const Tensor<i1> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  return Tensor<i1>(detail::reduce(detail::Reduction::all, x.use(axis.loc), axis.axis, keep, Nan::ignore));
}

// The first and the last element along an axis.
template <class T> Tensor<T> first(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  if constexpr (detail::summable<T>())
    return Tensor<T>(detail::reduce(detail::Reduction::first, x.use(axis.loc), axis.axis, keep, Nan::ignore));
  else
    return x;
}
template <class T> Tensor<T> last(const Tensor<T> &x, AxisArgument axis, KeepDims keep = KeepDims::no) {
  if constexpr (detail::summable<T>())
    return Tensor<T>(detail::reduce(detail::Reduction::last, x.use(axis.loc), axis.axis, keep, Nan::ignore));
  else
    return x;
}

// Running sums, products and maxima, which include the element itself. Reverse::yes begins at the last one.
template <class T>
Tensor<sum_t<T>> cumsum(const Tensor<T> &x, AxisArgument axis, Reverse reverse = Reverse::no) {
  if constexpr (detail::summable<T>())
    return Tensor<sum_t<T>>(detail::scan(detail::Reduction::sum, x.use(axis.loc), axis.axis, reverse));
  else
    return Tensor<sum_t<T>>(detail::Use{});
}
template <class T>
Tensor<sum_t<T>> cumprod(const Tensor<T> &x, AxisArgument axis, Reverse reverse = Reverse::no) {
  if constexpr (detail::summable<T>())
    return Tensor<sum_t<T>>(detail::scan(detail::Reduction::product, x.use(axis.loc), axis.axis, reverse));
  else
    return Tensor<sum_t<T>>(detail::Use{});
}
template <class T> Tensor<T> cummax(const Tensor<T> &x, AxisArgument axis, Reverse reverse = Reverse::no) {
  if constexpr (detail::orderable<T>())
    return Tensor<T>(detail::scan(detail::Reduction::max, x.use(axis.loc), axis.axis, reverse));
  else
    return x;
}

// ---------------------------------------------------------------- with a combine function

namespace detail {

template <class T, class R> Use combined(const R &r, Loc l) {
  if constexpr (fits_element<T, R>())
    return operand<T>(r, l);
  else
    return {};
}

template <class T, class F>
Tensor<T> combine_one(bool is_scan, const Tensor<T> &x, AxisArgument axis, F &&f, KeepDims keep,
                      Reverse reverse) {
  Combine region(is_scan ? "associative_scan" : "reduce", is_scan, {x.use(axis.loc)}, axis.axis, reverse,
                 axis.loc);
  auto r = f(Tensor<T>(region.argument(0)), Tensor<T>(region.argument(1)));
  return Tensor<T>(region.finish({combined<T>(r, axis.loc)}, keep)[0]);
}

template <class... T, class F, std::size_t... I>
std::tuple<Tensor<T>...> combine_many(bool is_scan, const std::tuple<Tensor<T>...> &x, AxisArgument axis,
                                      F &&f, KeepDims keep, Reverse reverse, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(T);
  Combine region(is_scan ? "associative_scan" : "reduce", is_scan, {std::get<I>(x).use(axis.loc)...},
                 axis.axis, reverse, axis.loc);
  auto r = f(std::tuple<Tensor<T>...>(Tensor<T>(region.argument(I))...),
             std::tuple<Tensor<T>...>(Tensor<T>(region.argument(n + I))...));
  constexpr bool fits = requires { std::tuple_size<decltype(r)>::value; };
  static_assert(fits, "the combine function returns a std::tuple with a scalar for each tile");
  if constexpr (fits) {
    static_assert(std::tuple_size_v<decltype(r)> == n,
                  "the combine function returns a std::tuple with a scalar for each tile");
    std::vector<Use> out = region.finish({combined<T>(std::get<I>(r), axis.loc)...}, keep);
    return std::tuple<Tensor<T>...>(Tensor<T>(out[I])...);
  } else
    return x;
}

}   // namespace detail

template <class T, class F>
Tensor<T> reduce(const Tensor<T> &x, AxisArgument axis, F &&combine, KeepDims keep = KeepDims::no) {
  return detail::combine_one(false, x, axis, combine, keep, Reverse::no);
}
template <class... T, class F>
std::tuple<Tensor<T>...> reduce(const std::tuple<Tensor<T>...> &x, AxisArgument axis, F &&combine,
                                KeepDims keep = KeepDims::no) {
  return detail::combine_many(false, x, axis, combine, keep, Reverse::no, std::index_sequence_for<T...>());
}
template <class T, class F>
Tensor<T> associative_scan(const Tensor<T> &x, AxisArgument axis, F &&combine,
                           Reverse reverse = Reverse::no) {
  return detail::combine_one(true, x, axis, combine, KeepDims::no, reverse);
}
template <class... T, class F>
std::tuple<Tensor<T>...> associative_scan(const std::tuple<Tensor<T>...> &x, AxisArgument axis, F &&combine,
                                          Reverse reverse = Reverse::no) {
  return detail::combine_many(true, x, axis, combine, KeepDims::no, reverse, std::index_sequence_for<T...>());
}

}   // namespace tile
