// SPDX-License-Identifier: MIT
// Sorting along the last axis, and counting.
#pragma once

#include "tile/operators.h"

namespace tile {

namespace detail {
template <class T> constexpr bool sortable() {
  static_assert(is_number<T>, "sort and topk work on integers and on f16, bf16, f32 and f64");
  return Number<T>;
}
}   // namespace detail

// Sorts along the last axis, whose extent is a power of two. NaNs come last in ascending
// order, -0 before +0.
template <class T>
Tensor<T> sort(const Tensor<T> &x, Descending descending = Descending::no, Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>())
    return Tensor<T>(detail::sort(x.use(l), descending));
  else
    return x;
}
// The k largest along the last axis, largest first; k is a power of two.
template <class T> Tensor<T> topk(const Tensor<T> &x, int k, Loc l = Loc::current()) {
  if constexpr (detail::sortable<T>())
    return Tensor<T>(detail::topk(x.use(l), k));
  else
    return x;
}

// How often each value 0 .. bins - 1 occurs; others are not counted, nor where the mask is false.
inline Tensor<i32> histogram(const Tensor<i32> &x, int bins, Loc l = Loc::current()) {
  return Tensor<i32>(detail::histogram(x.use(l), bins, nullptr));
}
inline Tensor<i32> histogram(const Tensor<i32> &x, int bins, const Tensor<i1> &mask, Loc l = Loc::current()) {
  detail::Use m = mask.use(l);
  return Tensor<i32>(detail::histogram(x.use(l), bins, &m));
}

}   // namespace tile
