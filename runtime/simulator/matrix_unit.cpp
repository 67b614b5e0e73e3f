// SPDX-License-Identifier: MIT
#include "runtime/simulator/matrix_unit.h"

#include "runtime/numeric_float.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace tile::simulator {
namespace {

// PTX ISA, "Matrix fragments for mma.m16n8kK": with g = lane / 4, t = lane % 4 and e elements to a word,
//   A word 0..3: rows g, g + 8, g, g + 8; columns e t + i, and K / 2 further for the last two
//   B word 0..1: rows e t + i, and K / 2 further; column g
//   C word 0..3: rows g, g, g + 8, g + 8; columns 2 t, 2 t + 1, 2 t, 2 t + 1
template <class Element, class Sum, int K, class DecodeA, class DecodeB>
void multiply(void **lanes, DecodeA decodeA, DecodeB decodeB) {
  constexpr int perWord = 4 / sizeof(Element);
  static_assert(K == 8 * perWord);
  Sum a[16][K], b[K][8], c[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto *words = static_cast<const std::uint32_t *>(lanes[lane]);
    const int g = lane / 4, t = lane % 4;
    Element elements[6 * perWord];
    std::memcpy(elements, words + 4, sizeof elements);
    for (int w = 0; w < 4; ++w)
      for (int i = 0; i < perWord; ++i)
        a[g + 8 * (w % 2)][perWord * t + i + K / 2 * (w / 2)] = decodeA(elements[w * perWord + i]);
    for (int w = 0; w < 2; ++w)
      for (int i = 0; i < perWord; ++i)
        b[perWord * t + i + K / 2 * w][g] = decodeB(elements[(4 + w) * perWord + i]);
    for (int w = 0; w < 4; ++w)
      c[g + 8 * (w / 2)][2 * t + w % 2] = std::bit_cast<Sum>(words[w]);
  }
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < K; ++k)
      for (int column = 0; column < 8; ++column)
        c[row][column] += a[row][k] * b[k][column];
  if constexpr (std::is_same_v<Sum, float>)
    for (auto &row : c)
      for (float &sum : row)
        sum = numeric::canonical(sum);
  for (int lane = 0; lane < 32; ++lane) {
    auto *words = static_cast<std::uint32_t *>(lanes[lane]);
    for (int w = 0; w < 4; ++w)
      words[w] = std::bit_cast<std::uint32_t>(c[lane / 4 + 8 * (w / 2)][2 * (lane % 4) + w % 2]);
  }
}

template <class Element, class Sum, int K, class Decode> void multiply(void **lanes, Decode decode) {
  multiply<Element, Sum, K>(lanes, decode, decode);
}

}   // namespace

void multiplyF16(void **lanes) {
  multiply<std::uint16_t, float, 16>(lanes, [](std::uint16_t bits) { return numeric::decode<f16>(bits); });
}
void multiplyBf16(void **lanes) {
  multiply<std::uint16_t, float, 16>(lanes, [](std::uint16_t bits) { return numeric::decode<bf16>(bits); });
}
// The unit looks at the upper 19 bits.
void multiplyTf32(void **lanes) {
  multiply<std::uint32_t, float, 8>(
      lanes, [](std::uint32_t bits) { return std::bit_cast<float>(bits & 0xFFFFE000u); });
}
void multiplyS8(void **lanes) {
  multiply<std::int8_t, std::uint32_t, 32>(
      lanes, [](std::int8_t x) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(x)); });
}
void multiplyU8(void **lanes) {
  multiply<std::uint8_t, std::uint32_t, 32>(lanes, [](std::uint8_t x) { return std::uint32_t{x}; });
}
template <class A, class B> void multiplyFp8(void **lanes) {
  multiply<std::uint8_t, float, 32>(
      lanes, [](std::uint8_t bits) { return numeric::decode<A>(bits); },
      [](std::uint8_t bits) { return numeric::decode<B>(bits); });
}
template void multiplyFp8<e4m3, e4m3>(void **);
template void multiplyFp8<e4m3, e5m2>(void **);
template void multiplyFp8<e5m2, e4m3>(void **);
template void multiplyFp8<e5m2, e5m2>(void **);

void multiplyRing16(void **lanes) {
  multiply<std::int16_t, std::uint32_t, 16>(
      lanes, [](std::int16_t x) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(x)); });
}
void multiplyRing32(void **lanes) {
  multiply<std::uint32_t, std::uint32_t, 8>(lanes, [](std::uint32_t x) { return x; });
}

}   // namespace tile::simulator
