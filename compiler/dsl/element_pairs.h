// SPDX-License-Identifier: MIT
// Error messages that name two element types. The text of a static_assert is a literal, so there is one
// for each pair. The compiler reads them only where it refuses a program.
#pragma once

#include <tile/types.h>

// X(second, ...) for each element type.
#define TILE_EACH_SECOND(X, ...)                                                                             \
  X(i8, __VA_ARGS__)                                                                                         \
  X(i16, __VA_ARGS__)                                                                                        \
  X(i32, __VA_ARGS__)                                                                                        \
  X(i64, __VA_ARGS__)                                                                                        \
  X(u8, __VA_ARGS__)                                                                                         \
  X(u16, __VA_ARGS__)                                                                                        \
  X(u32, __VA_ARGS__)                                                                                        \
  X(u64, __VA_ARGS__)                                                                                        \
  X(f16, __VA_ARGS__)                                                                                        \
  X(bf16, __VA_ARGS__)                                                                                       \
  X(f32, __VA_ARGS__)                                                                                        \
  X(f64, __VA_ARGS__)                                                                                        \
  X(e4m3, __VA_ARGS__)                                                                                       \
  X(e5m2, __VA_ARGS__)                                                                                       \
  X(i1, __VA_ARGS__)
// X(second, first) for each pair.
#define TILE_EACH_PAIR(X)                                                                                    \
  TILE_EACH_SECOND(X, i8)                                                                                    \
  TILE_EACH_SECOND(X, i16)                                                                                   \
  TILE_EACH_SECOND(X, i32)                                                                                   \
  TILE_EACH_SECOND(X, i64)                                                                                   \
  TILE_EACH_SECOND(X, u8)                                                                                    \
  TILE_EACH_SECOND(X, u16)                                                                                   \
  TILE_EACH_SECOND(X, u32)                                                                                   \
  TILE_EACH_SECOND(X, u64)                                                                                   \
  TILE_EACH_SECOND(X, f16)                                                                                   \
  TILE_EACH_SECOND(X, bf16)                                                                                  \
  TILE_EACH_SECOND(X, f32)                                                                                   \
  TILE_EACH_SECOND(X, f64)                                                                                   \
  TILE_EACH_SECOND(X, e4m3)                                                                                  \
  TILE_EACH_SECOND(X, e5m2)                                                                                  \
  TILE_EACH_SECOND(X, i1)

namespace tile::detail {

// Each condition is a variable. With an expression, compilers would explain it, too.
template <class A, class B, class X, class Y> inline constexpr bool are_others = !(same<A, X> && same<B, Y>);
template <class A, class B> inline constexpr bool are_elements =
    !std::is_pointer_v<A> && !std::is_pointer_v<B>;

// Each of these is called for two types that do not fit together, and refuses the program.
// Two operands of A and B.
template <class A, class B> constexpr void refuse_mixed() {
#define TILE_SAY(b, a)                                                                                       \
  static_assert(are_others<A, B, a, b>, "two tensors of different element types do not combine, " #a         \
                                        " and " #b ": convert one with tile::cast<T>(x)");
  TILE_EACH_PAIR(TILE_SAY)
#undef TILE_SAY
  static_assert(are_elements<A, B>, "two tensors of different element types do not combine: convert one with "
                                    "tile::cast<T>(x)");
}
// A value of B where a value of A is needed.
template <class A, class B> constexpr void refuse_conversion() {
#define TILE_SAY(b, a)                                                                                       \
  static_assert(are_others<A, B, a, b>, "a value of another element type does not convert by itself, "       \
                                        "here " #b " to " #a ": write tile::cast<tile::" #a ">(x)");
  TILE_EACH_PAIR(TILE_SAY)
#undef TILE_SAY
  static_assert(are_elements<A, B>,
                "a value of another element type does not convert by itself: write tile::cast<T>(x)");
}
// A value of B that is stored through pointers to A.
template <class A, class B> constexpr void refuse_store() {
#define TILE_SAY(b, a)                                                                                       \
  static_assert(are_others<A, B, a, b>,                                                                      \
                "the value has another element type than the pointers it is written through, " #b " and " #a \
                ": convert it with tile::cast<tile::" #a ">(x)");
  TILE_EACH_PAIR(TILE_SAY)
#undef TILE_SAY
  static_assert(are_elements<A, B>,
                "the value has another element type than the pointers it is written through: convert it with "
                "tile::cast<T>(x)");
}

// Operands of dot.
template <class A, class B> constexpr void refuse_product() {
#define TILE_SAY(b, a)                                                                                       \
  static_assert(are_others<A, B, a, b>, "the operands of dot have different element types, " #a " and " #b   \
                                        ": convert one with tile::cast<T>(x)");
  TILE_EACH_PAIR(TILE_SAY)
#undef TILE_SAY
  static_assert(are_elements<A, B>,
                "the operands of dot have different element types: convert one with tile::cast<T>(x)");
}

}   // namespace tile::detail

#undef TILE_EACH_PAIR
#undef TILE_EACH_SECOND
