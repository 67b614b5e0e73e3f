// SPDX-License-Identifier: MIT
// The three kinds of inputs: small integers, whose sums are exact in every format; random
// numbers; and the numbers at which formats and operations change their behaviour.
#include "context.h"
#include "float_codes.h"

#include <cmath>

namespace tile::conformance {

namespace {

std::vector<std::uint64_t> special_codes(Kind kind) {
  const FloatFormat &format = float_format(kind);
  const std::uint64_t smallest_normal = std::uint64_t{1} << format.mantissa_bits;
  std::vector<std::uint64_t> codes{
      0, 1, smallest_normal - 1, smallest_normal, format.largest(), format.quiet_nan()};
  if (format.has_infinity)
    codes.push_back(format.infinity());
  for (double number : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 127.5, 0.0078125})
    codes.push_back(encode(format, number));
  codes.push_back(encode(format, 1.0) + 1);   // sums with 1 fall halfway between neighbours
  const std::size_t positive = codes.size();
  for (std::size_t i = 0; i < positive; ++i)
    if (!is_nan_code(format, codes[i]))
      codes.push_back(codes[i] | format.sign_bit());
  return codes;
}

std::vector<Wide> special_integers(ElementType type) {
  const Wide low = smallest(type), high = largest(type);
  std::vector<Wide> numbers{0, 1, 2, 3, 7, 10, high, high - 1, low, low + 1};
  if (low < 0)
    for (Wide n : {1, 2, 3, 7, 10})
      numbers.push_back(-n);
  return numbers;
}

}   // namespace

std::int64_t Context::between(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(span == 0 ? random_() : random_() % span);
}

double Context::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
}

Array Context::numbers(ElementType type, std::size_t size, Inputs kind) {
  Array values(type, size);
  if (type.is_bool()) {
    for (std::size_t i = 0; i < size; ++i)
      values.set_bits(i, static_cast<std::uint64_t>(between(0, 1)));
    return values;
  }
  if (kind == Inputs::specials) {
    // Any two special numbers meet when one array of size >= k^2 is drawn in order and the
    // other at random; both at random meet soon enough and need no agreement.
    const std::vector<std::uint64_t> codes =
        type.is_float() ? special_codes(type.kind) : std::vector<std::uint64_t>{};
    const std::vector<Wide> integers = type.is_float() ? std::vector<Wide>{} : special_integers(type);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t choices = type.is_float() ? codes.size() : integers.size();
      const std::size_t choice = i < choices ? i : random_() % choices;
      if (type.is_float())
        values.set_bits(i, codes[choice]);
      else
        values.set_integer(i, integers[choice]);
    }
    // The first elements come in order, so that a single array has them all; turn the whole by
    // a random amount, so that two arrays do not pair equals with equals.
    Array rotated(type, size);
    const std::size_t by = random_() % (size ? size : 1);
    for (std::size_t i = 0; i < size; ++i)
      rotated.set_bits(i, values.bits((i + by) % size));
    return rotated;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (kind == Inputs::integers)
      values.set_integer(i, type.is_unsigned() ? between(0, 4) : between(-4, 4));
    else if (type.is_float())
      values.set_real(i, uniform(-4, 4));
    else
      values.set_bits(i, random_());   // truncated to the width
  }
  return values;
}

Array poisoned(ElementType type, std::size_t size) {
  Array values(type, size);
  if (type.is_float())
    for (std::size_t i = 0; i < size; ++i)
      values.set_bits(i, float_format(type.kind).quiet_nan());
  else
    std::fill(values.bytes().begin(), values.bytes().end(), 0xAB);
  return values;
}

}   // namespace tile::conformance
