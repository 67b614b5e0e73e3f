// SPDX-License-Identifier: MIT
// Types that all parts of the language share: classes of elements, shapes, and the small enums that are
// optional last arguments.
#pragma once

#include <tile/element.h>
#include <tile/error.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <source_location>
#include <type_traits>
#include <vector>

namespace tile {

using Loc = std::source_location;
using Shape = std::vector<std::int64_t>;

// A C++ number. It is known while tracing, and takes the element type of the other operand.
template <class T>
concept HostNumber = std::is_arithmetic_v<T>;
template <class T>
concept HostInteger =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
concept StorageFloat =
    std::same_as<T, f16> || std::same_as<T, bf16> || std::same_as<T, e4m3> || std::same_as<T, e5m2>;
template <class T>
concept Fp8 = std::same_as<T, e4m3> || std::same_as<T, e5m2>;
template <class T>
concept FloatElement = StorageFloat<T> || std::same_as<T, f32> || std::same_as<T, f64>;
template <class T>
concept IntElement = std::integral<T> && !std::same_as<T, bool>;
// Floats that compute. fp8 is only for storage, conversion and dot.
template <class T>
concept ArithmeticFloat = FloatElement<T> && !Fp8<T>;
template <class T>
concept Number = IntElement<T> || ArithmeticFloat<T>;
template <class T>
concept PointerElement = std::is_pointer_v<T>;

enum class Nan : std::uint8_t { ignore, propagate };   // what minimum, maximum, clamp do with a NaN
enum class Rounding : std::uint8_t { nearest_even, toward_zero };   // of a float conversion
enum class Cache : std::uint8_t { none, ca, cg, cv, wb, cs, wt };   // cache operator of an access
enum class Evict : std::uint8_t { normal, first, last };            // eviction priority of an access
enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel };
enum class Scope : std::uint8_t { cta, gpu, sys };
enum class Padding : std::uint8_t { zero, nan };   // elements outside the tensor in a descriptor load
enum class Precision : std::uint8_t { tf32, tf32x3, bf16x3, bf16x6, ieee };   // of an f32 product
enum class KeepDims : std::uint8_t { no, yes };
enum class Descending : std::uint8_t { no, yes };
enum class Reverse : std::uint8_t { no, yes };

struct Access {
  Cache cache = Cache::none;
  Evict evict = Evict::normal;
  bool is_volatile = false;
};

struct DotOptions {
  Precision precision = Precision::tf32;
  int max_imprecise_acc = 0;   // fp8: elements of K between two full additions; 0: never
};

// x[all, none] inserts an axis of extent 1; sum(x, all_axes) reduces every axis.
struct none_t {};
struct all_t {};
struct all_axes_t {};
inline constexpr none_t none{};
inline constexpr all_t all{};
inline constexpr all_axes_t all_axes{};

namespace detail {
template <class...> inline constexpr bool always_false = false;

// The concepts as values, for static_assert. With a concept that does not hold, compilers print a long
// explanation after the sentence that is meant for the user.
template <class A, class B> inline constexpr bool same = std::is_same_v<A, B>;
template <class T> inline constexpr bool is_host_number = HostNumber<T>;
template <class T> inline constexpr bool is_host_integer = HostInteger<T>;
template <class T> inline constexpr bool is_pointer_element = PointerElement<T>;
template <class T> inline constexpr bool is_integer = IntElement<T>;
template <class T> inline constexpr bool is_float = FloatElement<T>;
template <class T> inline constexpr bool is_storage_float = StorageFloat<T>;
template <class T> inline constexpr bool is_arithmetic_float = ArithmeticFloat<T>;
template <class T> inline constexpr bool is_fp8 = Fp8<T>;
template <class T> inline constexpr bool is_number = Number<T>;

[[noreturn]] void too_large(std::uint64_t value, Loc l);   // the value does not fit a signed 64-bit integer
}   // namespace detail

// A parameter that takes an integer of the host: an axis, a bound, an extent, a count. Only integers convert
// to it. So max(x, 0.5f), arange(0, 12.5) and sum(x, true) do not compile, and no value is truncated.
class HostInt {
 public:
  template <HostInteger U> constexpr HostInt(U v, Loc l = Loc::current())
      : value_(static_cast<std::int64_t>(v)) {
    if constexpr (std::unsigned_integral<U> && sizeof(U) == 8)
      if (value_ < 0)
        detail::too_large(v, l);
  }
  template <class U>
    requires(!HostInteger<U>)
  HostInt(const U &) {
    static_assert(detail::always_false<U>, "this needs an integer of the host that is known while tracing: a "
                                           "config field, a literal, static_cast<int>(x); fractions, bools, "
                                           "characters, enumerators and device values do not convert to one");
  }
  constexpr operator std::int64_t() const { return value_; }

 private:
  std::int64_t value_ = 0;
};

// A list of integers of the host, such as a shape: {BM, BN}.
class HostInts {
 public:
  HostInts() = default;
  HostInts(std::initializer_list<HostInt> list) : values_(list.begin(), list.end()) {}
  HostInts(const Shape &list) : values_(list) {}
  HostInts(const std::vector<int> &list) : values_(list.begin(), list.end()) {}
  template <class U> HostInts(const U &) {
    static_assert(detail::always_false<U>,
                  "this needs a list of integers that are known while tracing: {128}, {BM, BN}, x.shape()");
  }
  operator const Shape &() const { return values_; }

 private:
  Shape values_;
};

}   // namespace tile
