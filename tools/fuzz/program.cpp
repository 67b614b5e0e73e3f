// SPDX-License-Identifier: MIT
#include "tools/fuzz/program.h"

#include <cmath>

namespace tile::fuzz {

std::string_view name(Floats floats) { return floats == Floats::ring ? "ring" : "small"; }

int extent(const Program &program, int axis) {
  const Axis &of = program.axes[static_cast<std::size_t>(axis)];
  int product = of.extent;
  for (int factor : of.factors)
    product *= extent(program, factor);
  return product;
}

std::int64_t elements(const Program &program, const Type &type) {
  std::int64_t count = 1;
  for (int axis : type.axes)
    count *= extent(program, axis);
  return count;
}

double exact_limit(Kind kind) {
  switch (kind) {
  case Kind::F16:
    return std::ldexp(1, 11);
  case Kind::BF16:
    return std::ldexp(1, 8);
  case Kind::E4M3:
    return 16;
  case Kind::E5M2:
    return 8;
  case Kind::F32:
    return std::ldexp(1, 24);
  default:
    return std::ldexp(1, 53);
  }
}

}   // namespace tile::fuzz
