// SPDX-License-Identifier: MIT
// Refuses functions of the standard library on device values, because a device value has no number while
// tracing. One sentence says what to write instead. Without these overloads, a compiler lists candidates:
// forty lines for std::exp(x), four hundred for std::cout << x. The C++ standard does not allow new overloads
// in std. But these take only types of the language, and any function that takes such a type is preferred.
#pragma once

#include <tile/operators.h>

#include <iosfwd>

namespace tile {

template <class Char, class Traits, class T>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &out, const Tensor<T> &) {
  static_assert(detail::always_false<T>,
                "a device value has no text while tracing: tile::print(\"x\", x) prints "
                "it when the kernel runs; x.shape() is known here");
  return out;
}

namespace detail {
template <class R> R nothing() {
  if constexpr (DeviceValue<R>)
    return R(Use{});
  else
    return R();
}
}   // namespace detail

// Argument-dependent lookup finds these, and prefers them to C's functions, which take anything.
#define TILE_NO_FORMAT(function)                                                                             \
  template <class... A>                                                                                      \
    requires detail::SomeDevice<A...>                                                                        \
  int function(const A &...) {                                                                               \
    static_assert(detail::always_false<A...>,                                                                \
                  #function " is a function of the host, and a device value has no number while tracing: "   \
                            "tile::print(\"x\", x) prints it when the kernel runs");                         \
    return 0;                                                                                                \
  }
TILE_NO_FORMAT(printf)
TILE_NO_FORMAT(fprintf)
TILE_NO_FORMAT(snprintf)
TILE_NO_FORMAT(sprintf)
#undef TILE_NO_FORMAT

}   // namespace tile

// NOLINTBEGIN(cert-dcl58-cpp)
namespace std {

// The functions return a value only so that a compiler prints one sentence.
#define TILE_HOST_ONLY(Result, function, instead)                                                            \
  template <class... A>                                                                                      \
    requires ::tile::detail::SomeDevice<A...>                                                                \
  auto function(const A &...) -> Result {                                                                    \
    static_assert(::tile::detail::always_false<A...>,                                                        \
                  "std::" #function                                                                          \
                  " computes on the host, and a device value has no number while tracing: "                  \
                  "write " instead);                                                                         \
    return ::tile::detail::nothing<Result>();                                                                \
  }
#define TILE_FIRST ::tile::Tensor<typename ::tile::detail::first_element<A...>::type>
#define TILE_HERE(function) TILE_HOST_ONLY(TILE_FIRST, function, "tile::" #function)
TILE_HERE(exp)
TILE_HERE(exp2)
TILE_HERE(expm1)
TILE_HERE(log)
TILE_HERE(log2)
TILE_HERE(log1p)
TILE_HERE(sqrt)
TILE_HERE(sin)
TILE_HERE(cos)
TILE_HERE(tanh)
TILE_HERE(erf)
TILE_HERE(floor)
TILE_HERE(ceil)
TILE_HERE(trunc)
TILE_HERE(round)
TILE_HERE(rint)
TILE_HERE(isnan)
TILE_HERE(isinf)
TILE_HERE(isfinite)
TILE_HERE(abs)
TILE_HERE(pow)
TILE_HERE(fma)
#undef TILE_HERE
TILE_HOST_ONLY(TILE_FIRST, fabs, "tile::abs(x)")
TILE_HOST_ONLY(TILE_FIRST, fmin, "tile::minimum(a, b)")
TILE_HOST_ONLY(TILE_FIRST, fmax, "tile::maximum(a, b)")
TILE_HOST_ONLY(TILE_FIRST, fmod, "a % b")
TILE_HOST_ONLY(TILE_FIRST, nearbyint, "tile::rint(x)")
TILE_HOST_ONLY(TILE_FIRST, hypot, "tile::sqrt(a * a + b * b)")
TILE_HOST_ONLY(TILE_FIRST, log10, "tile::log2(x) * 0.30103f")
TILE_HOST_ONLY(TILE_FIRST, tan, "tile::sin(x) / tile::cos(x)")
TILE_HOST_ONLY(TILE_FIRST, sinh, "(tile::exp(x) - tile::exp(-x)) / 2.0f")
TILE_HOST_ONLY(TILE_FIRST, cosh, "(tile::exp(x) + tile::exp(-x)) / 2.0f")
TILE_HOST_ONLY(TILE_FIRST, cbrt, "tile::pow(x, 1.0f / 3.0f)")
TILE_HOST_ONLY(TILE_FIRST, signbit, "tile::bitcast<tile::i32>(x) < 0")
TILE_HOST_ONLY(const char *, to_string, "tile::print(\"x\", x)")
TILE_HOST_ONLY(int, printf, "tile::print(\"x\", x)")
TILE_HOST_ONLY(int, fprintf, "tile::print(\"x\", x)")
TILE_HOST_ONLY(int, snprintf, "tile::print(\"x\", x)")
#undef TILE_FIRST
#undef TILE_HOST_ONLY

}   // namespace std
// NOLINTEND(cert-dcl58-cpp)
