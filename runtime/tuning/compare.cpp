// SPDX-License-Identifier: MIT
#include "runtime/tuning/compare.h"

#include "tile/numeric_cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tile::tuning {
namespace {

// What a sum in another order may differ by, relative to the element and to the mean of all.
constexpr double tolerance(Kind kind) {
  switch (kind) {
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

template <class T>
std::string float_difference(Kind kind, std::span<const std::byte> got, std::span<const std::byte> expected) {
  auto value = [](std::span<const std::byte> bytes, std::size_t i) {
    return numeric::cast<double>(element<T>(bytes, i));
  };
  const std::size_t count = expected.size() / sizeof(T);
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double x = std::fabs(value(expected, i)); std::isfinite(x)) {
      sum += x;
      ++finite;
    }
  const double mean = finite ? sum / static_cast<double>(finite) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double g = value(got, i), e = value(expected, i);
    const bool same = g == e || (std::isnan(g) && std::isnan(e)) ||
                      std::fabs(g - e) <= tolerance(kind) * (std::fabs(e) + mean);
    if (!same)
      return "element " + std::to_string(i) + " is " + number(g) + ", not " + number(e);
  }
  return {};
}

}   // namespace

std::string difference(ElementType type, std::span<const std::byte> got,
                       std::span<const std::byte> expected) {
  if (got.empty() || std::memcmp(got.data(), expected.data(), got.size()) == 0)
    return {};
  if (type.is_float())
    switch (type.kind) {
    case Kind::F16:
      return float_difference<f16>(type.kind, got, expected);
    case Kind::BF16:
      return float_difference<bf16>(type.kind, got, expected);
    case Kind::E4M3:
      return float_difference<e4m3>(type.kind, got, expected);
    case Kind::E5M2:
      return float_difference<e5m2>(type.kind, got, expected);
    case Kind::F64:
      return float_difference<f64>(type.kind, got, expected);
    default:
      return float_difference<f32>(type.kind, got, expected);
    }
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(got, expected).in1 - got.begin());
  return "element " + std::to_string(at / type.bytes()) + " is another";
}

}   // namespace tile::tuning
