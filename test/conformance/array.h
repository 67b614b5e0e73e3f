// SPDX-License-Identifier: MIT
// Elements of any type on the host: inputs, expected and observed outputs. The type is a value
// and not a template parameter, so that references are written once and compiled once.
#pragma once

#include <tile/element.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tile::conformance {

using Wide = __int128;   // holds every sum and product of two 64-bit integers

class Array {
 public:
  Array() = default;
  Array(ElementType type, std::size_t size) : type_(type), size_(size), bytes_(size * type.bytes()) {}
  template <class T> static Array of(std::initializer_list<double> values) {
    return Array(element_type<T>, values);
  }
  Array(ElementType type, std::initializer_list<double> values);

  ElementType type() const { return type_; }
  std::size_t size() const { return size_; }
  std::vector<unsigned char> &bytes() { return bytes_; }
  const std::vector<unsigned char> &bytes() const { return bytes_; }

  std::uint64_t bits(std::size_t i) const;
  void set_bits(std::size_t i, std::uint64_t bits);
  long double real(std::size_t i) const;             // the element as a number, whatever its type
  Wide integer(std::size_t i) const;                 // of an integer or boolean element
  void set_real(std::size_t i, long double value);   // rounds once, nearest even; float types only
  void set_integer(std::size_t i, Wide value);       // wraps; rounds once when the type is a float
  std::string text(std::size_t i) const;             // "-1.5 (0xBE00)"

 private:
  ElementType type_{};
  std::size_t size_ = 0;
  std::vector<unsigned char> bytes_;
};

// The value range of an integer type.
Wide smallest(ElementType type);
Wide largest(ElementType type);
Wide wrap(ElementType type, Wide value);

// Equal as "exact" is meant: the same bits, but any NaN for a NaN.
bool same(const Array &a, std::size_t i, const Array &b, std::size_t j);

}   // namespace tile::conformance
