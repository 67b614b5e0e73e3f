// SPDX-License-Identifier: MIT
#include "runtime/simulator/bulk_reduction.h"

#include "runtime/numeric_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tile::simulator {
namespace {

enum Reduction { Add, Min, Max, Inc, Dec, And, Or, Xor };

template <class Word, class Combine>
void update(std::byte *to, const std::byte *from, std::size_t count, Combine combine) {
  auto *cells = reinterpret_cast<Word *>(to);
  for (std::size_t i = 0; i < count; ++i) {
    Word value, old = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
    std::memcpy(&value, from + i * sizeof(Word), sizeof(Word));
    while (!__atomic_compare_exchange_n(cells + i, &old, combine(old, value), /*weak=*/true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
      ;
  }
}

template <class Word> void integers(int reduction, std::byte *to, const std::byte *from, std::size_t count) {
  using U = std::make_unsigned_t<Word>;
  const auto is = [&](auto combine) {
    update<Word>(to, from, count, [&](Word a, Word b) { return static_cast<Word>(combine(a, b)); });
  };
  switch (reduction) {
  case Add:
    return is([](Word a, Word b) { return static_cast<U>(a) + static_cast<U>(b); });
  case Min:
    return is([](Word a, Word b) { return std::min(a, b); });
  case Max:
    return is([](Word a, Word b) { return std::max(a, b); });
  case Inc:
    return is(
        [](Word a, Word b) { return static_cast<U>(a) >= static_cast<U>(b) ? U{0} : static_cast<U>(a) + 1; });
  case Dec:
    return is([](Word a, Word b) {
      return a == 0 || static_cast<U>(a) > static_cast<U>(b) ? static_cast<U>(b) : static_cast<U>(a) - 1;
    });
  case And:
    return is([](Word a, Word b) { return a & b; });
  case Or:
    return is([](Word a, Word b) { return a | b; });
  default:
    return is([](Word a, Word b) { return a ^ b; });
  }
}

template <class Word, class Decode, class Encode>
void floats(int reduction, std::byte *to, const std::byte *from, std::size_t count, Decode decode,
            Encode encode) {
  update<Word>(to, from, count, [&](Word a, Word b) {
    const auto x = decode(a), y = decode(b);
    return encode(numeric::canonical(reduction == Add   ? x + y
                                     : reduction == Min ? std::fmin(x, y)
                                                        : std::fmax(x, y)));
  });
}
template <class F> void narrow(int reduction, std::byte *to, const std::byte *from, std::size_t count) {
  floats<std::uint16_t>(
      reduction, to, from, count, [](std::uint16_t bits) { return numeric::decode<F>(bits); },
      [](float x) { return numeric::encode<F>(x); });
}
template <class F, class Word> void wide(int reduction, std::byte *to, const std::byte *from,
                                         std::size_t count) {
  floats<Word>(
      reduction, to, from, count, [](Word bits) { return std::bit_cast<F>(bits); },
      [](F x) { return std::bit_cast<Word>(x); });
}

}   // namespace

// PTX ISA, "cp.reduce.async.bulk.tensor".
bool canReduce(TensorElement element, int reduction) {
  switch (element) {
  case TensorElement::u32:
    return true;
  case TensorElement::i32:
  case TensorElement::u64:
    return reduction != Inc && reduction != Dec;
  case TensorElement::i64:   // the others are an illegal instruction; they take a tensor of u64
    return reduction == Min || reduction == Max;
  case TensorElement::f16:
  case TensorElement::bf16:
    return reduction <= Max;
  case TensorElement::f32:
  case TensorElement::f64:
    return reduction == Add;
  default:
    return false;
  }
}

void reduceElements(TensorElement element, int reduction, std::byte *to, const std::byte *from,
                    std::size_t count) {
  switch (element) {
  case TensorElement::u32:
    return integers<std::uint32_t>(reduction, to, from, count);
  case TensorElement::i32:
    return integers<std::int32_t>(reduction, to, from, count);
  case TensorElement::u64:
    return integers<std::uint64_t>(reduction, to, from, count);
  case TensorElement::i64:
    return integers<std::int64_t>(reduction, to, from, count);
  case TensorElement::f16:
    return narrow<f16>(reduction, to, from, count);
  case TensorElement::bf16:
    return narrow<bf16>(reduction, to, from, count);
  case TensorElement::f64:
    return wide<double, std::uint64_t>(reduction, to, from, count);
  default:
    return wide<float, std::uint32_t>(reduction, to, from, count);
  }
}

}   // namespace tile::simulator
