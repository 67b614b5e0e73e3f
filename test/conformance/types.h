// SPDX-License-Identifier: MIT
// Lists of element types, and how a table of cases walks them.
#pragma once

#include <tile/element.h>

#include <string>
#include <type_traits>

namespace tile::conformance {

template <class... T> struct Types {};

using SignedIntegers = Types<i8, i16, i32, i64>;
using Integers = Types<i8, i16, i32, i64, u8, u16, u32, u64>;
using Floats = Types<f16, bf16, f32, f64>;
using Numbers = Types<i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64>;
using Everything = Types<i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, e4m3, e5m2>;

// each(Floats{}, [&]<class T>() { ... });
template <class... T, class F> void each(Types<T...>, F f) { (f.template operator()<T>(), ...); }

template <class T> inline constexpr bool is_float = element_type<T>.is_float();
template <class T> inline constexpr bool is_fp8 = element_type<T>.is_fp8();
template <class T> inline constexpr bool is_integer = element_type<T>.is_integer();
template <class T> inline constexpr bool is_bool = element_type<T>.is_bool();
template <class T> inline constexpr bool is_signed = !element_type<T>.is_unsigned() && !is_bool<T>;
// What arithmetic is defined on: not i1, not fp8.
template <class T> inline constexpr bool is_arithmetic = !is_bool<T> && !is_fp8<T>;

template <class T> std::string type_name() { return element_type<T>.name(); }

}   // namespace tile::conformance
