// SPDX-License-Identifier: MIT
// Conversions in exact arithmetic: a long double holds the numbers of every type.
#include "conversion.h"

#include <cmath>

namespace tile::conformance {

void convert(const Array &x, Array &out, std::size_t i, Direction direction) {
  const ElementType from = x.type(), to = out.type();
  if (from == to)
    return out.set_bits(i, x.bits(i));   // nothing to convert: an infinity of e5m2 stays one
  if (to.is_bool())
    return out.set_bits(i, from.is_float() ? std::isnan(x.real(i)) || x.real(i) != 0 : x.integer(i) != 0);
  if (to.is_float()) {
    const long double value = x.real(i);
    if (direction == Direction::nearest_even)
      return out.set_real(i, value);
    return out.set_bits(i, encode(float_format(to.kind), value, direction));
  }
  if (!from.is_float())
    return out.set_integer(i, x.integer(i));
  const long double value = x.real(i);
  if (std::isnan(value))
    return out.set_integer(i, 0);
  const long double low = static_cast<long double>(smallest(to)),
                    high = static_cast<long double>(largest(to));
  if (value <= low)
    return out.set_integer(i, smallest(to));
  if (value >= high)
    return out.set_integer(i, largest(to));
  out.set_integer(i, static_cast<Wide>(std::trunc(value)));
}

Array rounding_boundaries(Context &t, ElementType from, Kind to, std::size_t most) {
  const FloatFormat &source = float_format(from.kind), &target = float_format(to);
  std::vector<std::uint64_t> codes;
  const std::uint64_t count = target.largest() + 1;
  const bool all = count * 6 <= most;
  for (std::uint64_t step = 0; all ? step < count : codes.size() + 12 <= most; ++step) {
    const std::uint64_t code = all ? step : t.random()() % count;
    const long double number = decode(target, code);
    // Past the largest number its own last step decides about overflow.
    const long double next =
        code == target.largest() ? 2 * number - decode(target, code - 1) : decode(target, code + 1);
    for (long double place : {number, (number + next) / 2}) {
      const std::uint64_t middle = encode(source, place);
      for (std::uint64_t near : {middle - 1, middle, middle + 1}) {
        if ((near & source.sign_bit()) || is_nan_code(source, near))
          continue;   // stepped below zero or beyond infinity
        codes.push_back(near | (t.random()() & 1 ? source.sign_bit() : 0));
      }
    }
  }
  Array values(from, codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i)
    values.set_bits(i, codes[i]);
  return values;
}

}   // namespace tile::conformance
