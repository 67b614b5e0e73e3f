// SPDX-License-Identifier: MIT
#include "tools/bench/elements.h"

#include "runtime/numeric_cast.h"

#include <cstring>
#include <random>
#include <type_traits>

namespace tile::bench {
namespace {

template <class F> void with_type(ElementType type, F f) {
  switch (type.kind) {
  case Kind::F16:
    return f(std::type_identity<f16>());
  case Kind::BF16:
    return f(std::type_identity<bf16>());
  case Kind::F32:
    return f(std::type_identity<f32>());
  case Kind::E4M3:
    return f(std::type_identity<e4m3>());
  case Kind::E5M2:
    return f(std::type_identity<e5m2>());
  case Kind::I8:
    return f(std::type_identity<i8>());
  case Kind::I32:
    return f(std::type_identity<i32>());
  case Kind::I64:
    return f(std::type_identity<i64>());
  default:
    return f(std::type_identity<f64>());
  }
}

}   // namespace

void to_numbers(ElementType type, const std::byte *from, std::span<double> to) {
  with_type(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      T element;
      std::memcpy(&element, from + i * sizeof(T), sizeof(T));
      to[i] = numeric::cast<double>(element);
    }
  });
}

std::vector<std::byte> from_numbers(ElementType type, std::span<const double> from) {
  std::vector<std::byte> bytes(from.size() * type.bytes());
  with_type(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const T element = numeric::cast<T>(from[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

std::vector<double> random_numbers(ElementType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 source(seed);
  std::normal_distribution<double> normal;
  constexpr int limit = 100;   // sums of such integers stay far from overflow
  std::uniform_int_distribution<int> even(-limit, limit);
  std::vector<double> numbers(count);
  for (double &number : numbers)
    number = type.is_integer() ? even(source) : normal(source);
  to_numbers(type, from_numbers(type, numbers).data(), numbers);
  return numbers;
}

}   // namespace tile::bench
