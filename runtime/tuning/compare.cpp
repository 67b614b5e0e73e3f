// SPDX-License-Identifier: MIT
#include "runtime/tuning/compare.h"

#include "runtime/numeric_cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tile::tuning {
namespace {

template <class T> T element(std::span<const std::byte> bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::string number(double value) {
  if (std::isnan(value))
    return "nan";   // and not "-nan"
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

template <class T> double value(std::span<const std::byte> bytes, std::size_t i) {
  return numeric::cast<double>(element<T>(bytes, i));
}

template <class T> struct Type {
  using type = T;
};
// visit(Type<T>) with the C++ type of these floats.
template <class Visit> std::string with_float(ElementType type, const Visit &visit) {
  switch (type.kind) {
  case Kind::F16:
    return visit(Type<f16>());
  case Kind::BF16:
    return visit(Type<bf16>());
  case Kind::E4M3:
    return visit(Type<e4m3>());
  case Kind::E5M2:
    return visit(Type<e5m2>());
  case Kind::F64:
    return visit(Type<f64>());
  default:
    return visit(Type<f32>());
  }
}

template <class T>
std::string float_difference(ElementType type, std::span<const std::byte> got,
                             std::span<const std::byte> expected) {
  const std::size_t count = expected.size() / sizeof(T);
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double x = std::fabs(value<T>(expected, i)); std::isfinite(x)) {
      sum += x;
      ++finite;
    }
  const double mean = finite ? sum / static_cast<double>(finite) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double g = value<T>(got, i), e = value<T>(expected, i);
    const bool same = g == e || (std::isnan(g) && std::isnan(e)) ||
                      std::fabs(g - e) <= tolerance(type) * (std::fabs(e) + mean);
    if (!same)
      return difference_text(type, i, got.subspan(i * sizeof(T), sizeof(T)),
                             expected.subspan(i * sizeof(T), sizeof(T)));
  }
  return {};
}

}   // namespace

double tolerance(ElementType type) {
  if (!type.is_float())
    return 0;
  switch (type.kind) {
  case Kind::F64:
    return 1e-9;
  case Kind::F32:
    return 1e-3;   // products in tf32 count as f32
  case Kind::F16:
    return 1e-2;
  case Kind::BF16:
    return 4e-2;
  case Kind::E4M3:
    return 0.15;
  case Kind::E5M2:
    return 0.3;
  default:
    return 0;
  }
}

std::string difference_text(ElementType type, std::size_t at, std::span<const std::byte> got,
                            std::span<const std::byte> expected) {
  const std::string element = "element " + std::to_string(at) + " is ";
  if (!type.is_float())
    return element + "another";
  return with_float(type, [&]<class T>(Type<T>) {
    return element + number(value<T>(got, 0)) + ", not " + number(value<T>(expected, 0));
  });
}

std::string difference(ElementType type, std::span<const std::byte> got,
                       std::span<const std::byte> expected) {
  if (got.empty() || std::memcmp(got.data(), expected.data(), got.size()) == 0)
    return {};
  if (type.is_float())
    return with_float(type, [&]<class T>(Type<T>) { return float_difference<T>(type, got, expected); });
  const std::size_t at =
      static_cast<std::size_t>(std::ranges::mismatch(got, expected).in1 - got.begin()) / type.bytes();
  return difference_text(type, at, {}, {});
}

}   // namespace tile::tuning
