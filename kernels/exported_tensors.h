// SPDX-License-Identifier: MIT
// What the exported functions ask of the tensors that they get.
#pragma once

#include "compiler/c_api/export.h"

#include <string>

namespace tile::functions {

using In = AnyTensor<const void>;
using Out = AnyTensor<void>;

// Calls f with a value of the element type, which must be one of T.
template <class... T, class F> void with_element(const char *what, ElementType element, F f) {
  const bool is_one = ((element == element_type<T> && (f(T()), true)) || ...);
  if (is_one)
    return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + element_type<T>.name()), ...);
  throw Error(std::string(what) + " are " + element.name() + ", and may be " + known, {})
      .with_code(ErrorCode::unsupported);
}

inline void same_element(const char *first, const auto &a, const char *second, const auto &b) {
  if (!(a.element() == b.element()))
    throw Error("`" + std::string(first) + "` is of " + a.element().name() + " and `" + second + "` of " +
                    b.element().name(),
                {})
        .add_help("both need one element type");
}

inline void has_axes(const char *name, const auto &tensor, int rank) {
  if (tensor.rank() != rank)
    throw Error("`" + std::string(name) + "` has " + std::to_string(tensor.rank()) + " axes, and needs " +
                    std::to_string(rank),
                {});
}

// Of one element type and with so many axes: are_alike(2, "x", x, "y", y).
template <class... Others>
void are_alike(int rank, const char *first, const auto &a, const char *second, const auto &b,
               const Others &...others) {
  same_element(first, a, second, b);
  has_axes(second, b, rank);
  if constexpr (sizeof...(others) > 0)
    are_alike(rank, first, a, others...);
  else
    has_axes(first, a, rank);
}

}   // namespace tile::functions
