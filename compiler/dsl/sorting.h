// SPDX-License-Identifier: MIT
// Sorting along the last axis, and histograms.
#pragma once

#include <tile/operators.h>

#include <tuple>
#include <utility>

namespace tile {

namespace detail {
template <class T> constexpr bool sortable() {
  static_assert(is_number<T>, "sort and topk work on integers and on f16, bf16, f32 and f64");
  return Number<T>;
}
}   // namespace detail

// Sorts along the last axis. Its extent is a power of two. In ascending order NaNs come last, and -0 comes
// before +0.
template <class T>
Tensor<T> sort(const Tensor<T> &x, Descending descending = Descending::no, Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>())
    return Tensor<T>(detail::sort(x.use(l), descending));
  else
    return x;
}
// The k largest elements along the last axis, the largest first. k is a power of two.
template <class T> Tensor<T> topk(const Tensor<T> &x, HostInt k, Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>())
    return Tensor<T>(detail::topk(x.use(l), k));
  else
    return x;
}

// Also returns the index that each element had before sorting. Equal elements keep their order.
template <class T>
std::pair<Tensor<T>, Tensor<i32>> sort_with_index(const Tensor<T> &x, Descending descending = Descending::no,
                                                  Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>()) {
    const std::vector<detail::Use> r =
        detail::sort_together("sort_with_index", {x.use(l)}, descending, nullptr);
    return {Tensor<T>(r[0]), Tensor<i32>(r[1])};
  } else
    return {x, Tensor<i32>(0)};
}
template <class T>
Tensor<i32> argsort(const Tensor<T> &x, Descending descending = Descending::no, Loc l = Loc::current()) {
  return sort_with_index(x, descending, l).second;
}
template <class T>
std::pair<Tensor<T>, Tensor<i32>> topk_with_index(const Tensor<T> &x, HostInt k, Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>()) {
    const std::int64_t count = k;
    const std::vector<detail::Use> r =
        detail::sort_together("topk_with_index", {x.use(l)}, Descending::yes, &count);
    return {Tensor<T>(r[0]), Tensor<i32>(r[1])};
  } else
    return {x, Tensor<i32>(0)};
}

// Sorts several tiles of one shape together, by the elements of the first.
namespace detail {
template <class K, class... V, std::size_t... I>
std::tuple<Tensor<K>, Tensor<V>...>
sorted_tuple(const char *what, const std::tuple<Tensor<K>, Tensor<V>...> &x, Descending descending,
             const std::int64_t *k, Loc l, std::index_sequence<I...>) {
  if constexpr (sortable<K>()) {
    const std::vector<Use> r = sort_together(what, {std::get<I>(x).use(l)...}, descending, k);
    return {std::tuple_element_t<I, std::tuple<Tensor<K>, Tensor<V>...>>(r[I])...};
  } else
    return x;
}
}   // namespace detail
template <class K, class... V>
std::tuple<Tensor<K>, Tensor<V>...> sort(const std::tuple<Tensor<K>, Tensor<V>...> &x,
                                         Descending descending = Descending::no, Loc l = Loc::current()) {
  return detail::sorted_tuple("sort", x, descending, nullptr, l, std::index_sequence_for<K, V...>());
}
template <class K, class... V>
std::tuple<Tensor<K>, Tensor<V>...> topk(const std::tuple<Tensor<K>, Tensor<V>...> &x, HostInt k,
                                         Loc l = Loc::current()) {
  const std::int64_t count = k;
  return detail::sorted_tuple("topk", x, Descending::yes, &count, l, std::index_sequence_for<K, V...>());
}

// Counts each value 0 .. bins - 1. Does not count other values, or elements where the mask is false.
inline Tensor<i32> histogram(const Tensor<i32> &x, HostInt bins, Loc l = Loc::current()) {
  return Tensor<i32>(detail::histogram(x.use(l), bins, nullptr));
}
inline Tensor<i32> histogram(const Tensor<i32> &x, HostInt bins, const Tensor<i1> &mask,
                             Loc l = Loc::current()) {
  detail::Use m = mask.use(l);
  return Tensor<i32>(detail::histogram(x.use(l), bins, &m));
}

}   // namespace tile
