// SPDX-License-Identifier: MIT
// Arithmetic on pointers, and random numbers: elementwise operations of the tile dialect alone.
#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/machine.h"

namespace tile::interpreter {
namespace {

// The offset is widened by its sign, or by zeros where `Offset` is unsigned, before it is scaled.
template <std::uint64_t Bytes, class Offset> void addPointer(const Instruction &i, Machine &m) {
  Pointer *r = m.at<Pointer>(i.result);
  const Pointer *a = m.at<Pointer>(i.a);
  const Offset *offsets = m.at<Offset>(i.b);
  const std::size_t lanes = i.lanes;
  TILE_LANES
  for (std::size_t n = 0; n < lanes; ++n)
    r[n] = host::advance<Bytes>(a[n], static_cast<std::int64_t>(offsets[n]));
}
template <std::uint64_t Bytes> Handler addingOf(Lane offset, bool isUnsigned) {
  if (offset == Lane::I64)
    return addPointer<Bytes, std::int64_t>;
  return isUnsigned ? addPointer<Bytes, std::uint32_t> : addPointer<Bytes, std::int32_t>;
}

void pointerToInteger(const Instruction &i, Machine &m) {
  std::uint64_t *r = m.at<std::uint64_t>(i.result);
  const Pointer *a = m.at<Pointer>(i.a);
  TILE_LANES
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = host::plain_address(a[n]);
}
void integerToPointer(const Instruction &i, Machine &m) {
  Pointer *r = m.at<Pointer>(i.result);
  const std::uint64_t *a = m.at<std::uint64_t>(i.a);
  for (std::size_t n = 0; n < i.lanes; ++n)
    r[n] = m.memory.recognise(a[n]);
}

void drawPhilox(const Instruction &i, Machine &m) {
  const auto &places = i.as<PhiloxPlaces>();
  const numeric::PhiloxKey key = numeric::philox_key(m.scalar<std::uint64_t>(i.a));
  const std::uint32_t *c[4];
  std::uint32_t *r[4];
  for (int word = 0; word < 4; ++word) {
    c[word] = m.at<std::uint32_t>(places.counters[word]);
    r[word] = m.at<std::uint32_t>(places.results[word]);
  }
  for (std::size_t n = 0; n < i.lanes; ++n) {
    const numeric::PhiloxCounter drawn = numeric::philox(key, {c[0][n], c[1][n], c[2][n], c[3][n]});
    for (int word = 0; word < 4; ++word)
      r[word][n] = drawn[static_cast<std::size_t>(word)];
  }
}

}   // namespace

Handler addPointerHandler(std::size_t pointeeBytes, Lane offset, bool isUnsigned) {
  switch (pointeeBytes) {
  case 1:
    return addingOf<1>(offset, isUnsigned);
  case 2:
    return addingOf<2>(offset, isUnsigned);
  case 4:
    return addingOf<4>(offset, isUnsigned);
  case 8:
    return addingOf<8>(offset, isUnsigned);
  default:
    return nullptr;
  }
}
Handler pointerToIntegerHandler() { return pointerToInteger; }
Handler integerToPointerHandler() { return integerToPointer; }
Handler philoxHandler() { return drawPhilox; }

}   // namespace tile::interpreter
