// SPDX-License-Identifier: MIT
// Little-endian bytes in, numbers out.
#include "array.h"

#include "float_codes.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace tile::conformance {

Array::Array(ElementType type, std::initializer_list<double> values) : Array(type, values.size()) {
  std::size_t i = 0;
  for (double v : values) {
    if (type.is_float())
      set_real(i++, v);
    else
      set_integer(i++, static_cast<Wide>(v));
  }
}

std::uint64_t Array::bits(std::size_t i) const {
  const std::size_t width = type_.bytes();
  if (i >= size_)
    throw std::logic_error("element " + std::to_string(i) + " of an array of " + std::to_string(size_));
  std::uint64_t value = 0;
  std::memcpy(&value, bytes_.data() + i * width, width);
  return value;
}

void Array::set_bits(std::size_t i, std::uint64_t bits) {
  const std::size_t width = type_.bytes();
  if (i >= size_)
    throw std::logic_error("element " + std::to_string(i) + " of an array of " + std::to_string(size_));
  std::memcpy(bytes_.data() + i * width, &bits, width);
}

long double Array::real(std::size_t i) const {
  if (!type_.is_float())
    return static_cast<long double>(integer(i));
  if (type_.kind == Kind::F32 || type_.kind == Kind::F64) {
    // The machine's own formats; the table would only be slower.
    const std::uint64_t b = bits(i);
    if (type_.kind == Kind::F64) {
      double v;
      std::memcpy(&v, &b, 8);
      return v;
    }
    float v;
    std::memcpy(&v, &b, 4);
    return v;
  }
  return decode(float_format(type_.kind), bits(i));
}

Wide Array::integer(std::size_t i) const { return wrap(type_, static_cast<Wide>(bits(i))); }

void Array::set_real(std::size_t i, long double value) {
  if (!type_.is_float())
    throw std::logic_error("set_real of " + type_.name());
  if (type_.kind == Kind::F64) {
    const double v = static_cast<double>(value);
    std::uint64_t b;
    std::memcpy(&b, &v, 8);
    set_bits(i, b);
  } else if (type_.kind == Kind::F32) {
    const float v = static_cast<float>(value);
    std::uint32_t b;
    std::memcpy(&b, &v, 4);
    set_bits(i, b);
  } else {
    set_bits(i, encode(float_format(type_.kind), value));
  }
}

void Array::set_integer(std::size_t i, Wide value) {
  if (type_.is_float())
    set_real(i, static_cast<long double>(value));
  else
    set_bits(i, static_cast<std::uint64_t>(wrap(type_, value)));
}

std::string Array::text(std::size_t i) const {
  char buffer[96];
  const int digits = static_cast<int>(type_.bytes() * 2);
  const auto b = static_cast<unsigned long long>(bits(i));
  if (type_.is_float())
    std::snprintf(buffer, sizeof buffer, "%.9Lg (0x%0*llX)", real(i), digits, b);
  else if (type_.is_unsigned() || type_.is_pointer())
    std::snprintf(buffer, sizeof buffer, "%llu (0x%0*llX)", b, digits, b);
  else
    std::snprintf(buffer, sizeof buffer, "%lld (0x%0*llX)", static_cast<long long>(integer(i)), digits, b);
  return buffer;
}

Wide smallest(ElementType type) {
  return type.is_unsigned() || type.is_bool() ? Wide{0} : -(Wide{1} << (type.bits() - 1));
}
Wide largest(ElementType type) {
  return type.is_unsigned() || type.is_bool() ? (Wide{1} << type.bits()) - 1
                                              : (Wide{1} << (type.bits() - 1)) - 1;
}
Wide wrap(ElementType type, Wide value) {
  if (type.is_bool())
    return value != 0;
  if (type.is_pointer())
    return value & ((Wide{1} << 64) - 1);
  const Wide modulus = Wide{1} << type.bits();
  Wide low = value & (modulus - 1);
  return low > largest(type) ? low - modulus : low;
}

bool same(const Array &a, std::size_t i, const Array &b, std::size_t j) {
  if (a.type().is_float() && std::isnan(a.real(i)))
    return std::isnan(b.real(j));
  return a.bits(i) == b.bits(j);
}

}   // namespace tile::conformance
