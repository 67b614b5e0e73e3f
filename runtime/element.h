// SPDX-License-Identifier: MIT
// The element types of tiles and buffers. The same C++ types are used in kernels (`Tensor<f16>`) and in host
// memory (`std::vector<f16>`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tile {

using i1 = bool;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

// Storage formats. On the host they have explicit conversions and no arithmetic, because nobody wants 16-bit
// arithmetic on the CPU. The conversions are those of the language: one rounding to nearest even from the
// given type; fp8 saturates (runtime/numeric.h).
#define TILE_STORAGE_FLOAT(Name, Bits)                                                                       \
  struct Name {                                                                                              \
    Bits bits;                                                                                               \
    Name() = default;                                                                                        \
    explicit Name(float value);                                                                              \
    explicit Name(double value);                                                                             \
    explicit Name(int value) : Name(static_cast<double>(value)) {}                                           \
    explicit operator float() const;                                                                         \
    explicit operator double() const;                                                                        \
    static constexpr Name from_bits(Bits b) {                                                                \
      Name n{};                                                                                              \
      n.bits = b;                                                                                            \
      return n;                                                                                              \
    }                                                                                                        \
  };
TILE_STORAGE_FLOAT(f16, std::uint16_t)
TILE_STORAGE_FLOAT(bf16, std::uint16_t)
TILE_STORAGE_FLOAT(e4m3, std::uint8_t)   // 4 exponent bits, no infinity, largest 448
TILE_STORAGE_FLOAT(e5m2, std::uint8_t)   // 5 exponent bits, largest finite 57,344
#undef TILE_STORAGE_FLOAT

enum class Kind : std::uint8_t { I1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, E4M3, E5M2 };

struct ElementType {
  Kind kind{};
  std::uint8_t pointers = 0;   // levels of indirection: 1 for f16 *, 2 for f16 **
  bool operator==(const ElementType &) const = default;

  constexpr bool is_pointer() const { return pointers > 0; }
  constexpr bool is_float() const { return pointers == 0 && kind >= Kind::F16; }
  constexpr bool is_fp8() const { return pointers == 0 && kind >= Kind::E4M3; }
  constexpr bool is_bool() const { return pointers == 0 && kind == Kind::I1; }
  constexpr bool is_unsigned() const { return pointers == 0 && kind >= Kind::U8 && kind <= Kind::U64; }
  constexpr bool is_integer() const { return pointers == 0 && kind > Kind::I1 && kind <= Kind::U64; }
  constexpr ElementType pointee() const { return {kind, static_cast<std::uint8_t>(pointers - 1)}; }
  constexpr ElementType pointer_to() const { return {kind, static_cast<std::uint8_t>(pointers + 1)}; }

  int bits() const;            // in a value: 1 for i1, 64 for a pointer
  std::size_t bytes() const;   // in memory: 1 for i1
  std::string name() const;    // "f16", "u8", "f16*"
};

// "f16" -> F16. Returns false for an unknown name.
bool parse_kind(std::string_view name, Kind &kind);

namespace detail {
template <class T> struct element_of;
#define TILE_ELEMENT(T, K)                                                                                   \
  template <> struct element_of<T> {                                                                         \
    static constexpr ElementType value{Kind::K};                                                             \
  };
TILE_ELEMENT(i1, I1)
TILE_ELEMENT(i8, I8)
TILE_ELEMENT(i16, I16)
TILE_ELEMENT(i32, I32)
TILE_ELEMENT(i64, I64)
TILE_ELEMENT(u8, U8)
TILE_ELEMENT(u16, U16)
TILE_ELEMENT(u32, U32)
TILE_ELEMENT(u64, U64)
TILE_ELEMENT(f16, F16)
TILE_ELEMENT(bf16, BF16)
TILE_ELEMENT(f32, F32)
TILE_ELEMENT(f64, F64)
TILE_ELEMENT(e4m3, E4M3)
TILE_ELEMENT(e5m2, E5M2)
#undef TILE_ELEMENT
template <class T> struct element_of<T *> {
  static constexpr ElementType value = element_of<std::remove_const_t<T>>::value.pointer_to();
};
}   // namespace detail

// The ElementType of a C++ type. `const` is ignored.
template <class T>
inline constexpr ElementType element_type = detail::element_of<std::remove_const_t<T>>::value;

}   // namespace tile
