// SPDX-License-Identifier: MIT
#include "runtime/simulator/warpgroup_unit.h"

#include "runtime/numeric_float.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#define TILE_VARIANT __attribute__((target("avx2")))
#endif
#define TILE_INLINE inline __attribute__((always_inline))

namespace tile::simulator {
namespace {

constexpr unsigned mostColumns = 256, mostK = 32;

template <class F> std::array<float, 256> decoded() {
  std::array<float, 256> table;
  for (unsigned i = 0; i < 256; ++i)
    table[i] = numeric::decode<F>(static_cast<std::uint8_t>(i));
  return table;
}
const std::array<float, 256> tableE4m3 = decoded<e4m3>(), tableE5m2 = decoded<e5m2>();

// The elements of 16 bytes: as floats, or as integers.
template <class Sum> TILE_INLINE void decode(MatrixKind kind, const std::byte *from, Sum *to) {
  if constexpr (std::is_same_v<Sum, float>) {
    std::uint16_t halves[8];
    std::uint32_t words[4];
    switch (kind) {
    case MatrixKind::f16:
      std::memcpy(halves, from, 16);
      for (unsigned i = 0; i < 8; ++i)
        to[i] = numeric::decode<f16>(halves[i]);
      break;
    case MatrixKind::bf16:
      std::memcpy(halves, from, 16);
      for (unsigned i = 0; i < 8; ++i)
        to[i] = std::bit_cast<float>(std::uint32_t{halves[i]} << 16);
      break;
    case MatrixKind::tf32:
      std::memcpy(words, from, 16);
      for (unsigned i = 0; i < 4; ++i)
        to[i] = std::bit_cast<float>(words[i] & 0xFFFFE000u);
      break;
    default:
      const auto &table = kind == MatrixKind::e4m3 ? tableE4m3 : tableE5m2;
      for (unsigned i = 0; i < 16; ++i)
        to[i] = table[std::to_integer<unsigned>(from[i])];
    }
  } else if (elementBytes(kind) == 4) {   // floats of a ring: their signs are extended
    std::memcpy(to, from, 16);
  } else if (elementBytes(kind) == 2) {
    std::int16_t halves[8];
    std::memcpy(halves, from, 16);
    for (unsigned i = 0; i < 8; ++i)
      to[i] = static_cast<Sum>(halves[i]);
  } else {
    for (unsigned i = 0; i < 16; ++i)
      to[i] = kind != MatrixKind::u8 ? static_cast<std::int8_t>(from[i]) : std::to_integer<Sum>(from[i]);
  }
}

// `put(row, k, value)` of each element of an operand in shared memory.
template <class Sum, class Put>
TILE_INLINE void gather(const WarpgroupProduct &p, MatrixKind kind, const std::uint32_t *places,
                        unsigned rows, bool isTransposed, Put put) {
  const unsigned count = 16 / elementBytes(kind);
  Sum elements[16];
  if (!isTransposed) {
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned half = 0; half < 2; ++half) {
        decode(kind, p.shared + *places++, elements);
        for (unsigned i = 0; i < count; ++i)
          put(row, half * count + i, elements[i]);
      }
    return;
  }
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned row = 0; row < rows; row += 8) {
      decode(kind, p.shared + *places++, elements);
      for (unsigned i = 0; i < 8; ++i)
        put(row + i, k, elements[i]);
    }
}

// PTX ISA, "Register Fragments for wgmma": those of A are those of mma.sync, 16 rows for each warp.
template <class Sum, class Put>
TILE_INLINE void gatherRegisters(const WarpgroupProduct &p, Put put) {
  const unsigned size = elementBytes(p.a), count = 4 / size, k = 32 / size;
  Sum elements[16];
  for (unsigned thread = 0; thread < 128; ++thread) {
    const unsigned lane = thread % 32;
    std::byte words[16];
    std::memcpy(words, p.registers[thread], 16);
    decode(p.a, words, elements);
    for (unsigned word = 0; word < 4; ++word)
      for (unsigned i = 0; i < count; ++i)
        put(thread / 32 * 16 + lane / 4 + 8 * (word % 2), count * (lane % 4) + i + k / 2 * (word / 2),
            elements[word * count + i]);
  }
}

// Four rows by `Vectors` times eight columns stay in registers; names instead of an array keep them there.
template <class Sum, unsigned Vectors>
TILE_INLINE void accumulateBlock(const Sum *a, const Sum *b, Sum *d, unsigned columns, unsigned k) {
  using Vector __attribute__((vector_size(32), aligned(4), may_alias)) = Sum;
  const auto at = [](auto *p, unsigned v)
                      __attribute__((always_inline)) { return reinterpret_cast<Vector *>(p) + v; };
  const auto from = [](const Sum *p, unsigned v)
                        __attribute__((always_inline)) { return reinterpret_cast<const Vector *>(p) + v; };
  constexpr unsigned last = Vectors - 1;   // 0: the second half repeats the first, unused
  Sum *d0 = d, *d1 = d0 + columns, *d2 = d1 + columns, *d3 = d2 + columns;
  Vector s00 = *at(d0, 0), s01 = *at(d0, last), s10 = *at(d1, 0), s11 = *at(d1, last);
  Vector s20 = *at(d2, 0), s21 = *at(d2, last), s30 = *at(d3, 0), s31 = *at(d3, last);
  for (unsigned i = 0; i < k; ++i, b += columns) {
    const Vector b0 = *from(b, 0), b1 = *from(b, last);
    const Sum a0 = a[i], a1 = a[k + i], a2 = a[2 * k + i], a3 = a[3 * k + i];
    s00 += a0 * b0;
    s10 += a1 * b0;
    s20 += a2 * b0;
    s30 += a3 * b0;
    if constexpr (Vectors > 1) {
      s01 += a0 * b1;
      s11 += a1 * b1;
      s21 += a2 * b1;
      s31 += a3 * b1;
    }
  }
  *at(d0, 0) = s00;
  *at(d1, 0) = s10;
  *at(d2, 0) = s20;
  *at(d3, 0) = s30;
  if constexpr (Vectors > 1) {
    *at(d0, 1) = s01;
    *at(d1, 1) = s11;
    *at(d2, 1) = s21;
    *at(d3, 1) = s31;
  }
}

template <class Sum> TILE_INLINE void accumulate(const Sum *a, const Sum *b, Sum *d, unsigned columns,
                                                 unsigned k) {
  for (unsigned row = 0; row < 64; row += 4) {
    unsigned column = 0;
    for (; column + 16 <= columns; column += 16)
      accumulateBlock<Sum, 2>(a + row * k, b + column, d + row * columns + column, columns, k);
    for (; column < columns; column += 8)
      accumulateBlock<Sum, 1>(a + row * k, b + column, d + row * columns + column, columns, k);
  }
}

template <class Sum> TILE_INLINE void multiplyAs(const WarpgroupProduct &p) {
  const unsigned k = 32 / elementBytes(p.a);
  alignas(64) Sum a[64 * mostK], b[mostK * mostColumns];
  const Sum signA = static_cast<Sum>(p.negateA ? -1 : 1), signB = static_cast<Sum>(p.negateB ? -1 : 1);
  const auto putA = [&](unsigned row, unsigned i, Sum x)
                        __attribute__((always_inline)) { a[row * k + i] = x * signA; };
  const unsigned columns = p.columns;
  if (p.placesA)
    gather<Sum>(p, p.a, p.placesA, 64, p.transposeA, putA);
  else
    gatherRegisters<Sum>(p, putA);
  gather<Sum>(p, p.b, p.placesB, columns, p.transposeB,
              [&](unsigned row, unsigned i, Sum x)
                  __attribute__((always_inline)) { b[i * columns + row] = x * signB; });
  accumulate(a, b, reinterpret_cast<Sum *>(p.accumulators), columns, k);
}

TILE_INLINE void multiplyAny(const WarpgroupProduct &p) {
  if (p.isRing || p.a == MatrixKind::s8 || p.a == MatrixKind::u8)
    return multiplyAs<std::uint32_t>(p);
  multiplyAs<float>(p);
  for (unsigned i = 0; i < 64 * p.columns; ++i)
    p.accumulators[i] = numeric::canonical(p.accumulators[i]);
  if (p.roundsToHalf)
    for (unsigned i = 0; i < 64 * p.columns; ++i)
      p.accumulators[i] = numeric::decode<f16>(numeric::encode<f16>(p.accumulators[i]));
}

void multiplyPlainly(const WarpgroupProduct &p) { multiplyAny(p); }
#if defined(TILE_VARIANT)
TILE_VARIANT void multiplyAvx2(const WarpgroupProduct &p) { multiplyAny(p); }
#endif

}   // namespace

void multiply(const WarpgroupProduct &product) {
#if defined(TILE_VARIANT)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return multiplyAvx2(product);
#endif
  multiplyPlainly(product);
}

}   // namespace tile::simulator
