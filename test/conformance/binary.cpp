// SPDX-License-Identifier: MIT
// The meaning of binary operations in exact integers and in f64, rounded once.
#include "binary.h"

#include <cmath>
#include <stdexcept>

namespace tile::conformance {

const char *name_of(Binary op) {
  static const char *const names[] = {"add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr"};
  return names[static_cast<int>(op)];
}
const char *name_of(Comparison op) {
  static const char *const names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  return names[static_cast<int>(op)];
}
const char *name_of(Form form) {
  static const char *const names[] = {"tile_tile", "tile_literal", "literal_tile", "tile_one",
                                      "one_tile",  "tile_scalar",  "scalar_tile"};
  return names[static_cast<int>(form)];
}

namespace {

// f64 keeps more than twice the digits of any narrower type, so rounding its result once more
// gives the correctly rounded one; f64's own operations are the machine's.
double float_result(Binary op, double a, double b) {
  switch (op) {
  case Binary::add:
    return a + b;
  case Binary::subtract:
    return a - b;
  case Binary::multiply:
    return a * b;
  case Binary::divide:
    return a / b;
  case Binary::remainder:
    return std::fmod(a, b);
  default:
    throw std::logic_error("no such operation of floats");
  }
}

Wide integer_result(Binary op, ElementType type, Wide a, Wide b) {
  const int width = type.bits();
  switch (op) {
  case Binary::add:
    return a + b;
  case Binary::subtract:
    return a - b;
  // The product of two u64 does not fit a signed 128-bit number, its low half does.
  case Binary::multiply:
    return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  case Binary::divide:
    return b == 0 ? a : a / b;   // MIN / -1 leaves the type and wraps to MIN
  case Binary::remainder:
    return b == 0 ? 0 : a % b;
  case Binary::bit_and:
    return a & b;
  case Binary::bit_or:
    return a | b;
  case Binary::bit_xor:
    return a ^ b;
  case Binary::shift_left:
    return b < 0 || b >= width ? 0
                               : static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(b));
  case Binary::shift_right:
    return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> static_cast<int>(b);
  }
  throw std::logic_error("no such operation of integers");
}

}   // namespace

void apply(Binary op, Array &out, std::size_t i, const Array &a, std::size_t j, const Array &b,
           std::size_t k) {
  const ElementType type = a.type();
  if (type.is_float())
    out.set_real(i, float_result(op, static_cast<double>(a.real(j)), static_cast<double>(b.real(k))));
  else
    out.set_integer(i, integer_result(op, type, a.integer(j), b.integer(k)));
}

bool holds(Comparison op, const Array &a, std::size_t j, const Array &b, std::size_t k) {
  // A long double holds every number of every type; NaN is unordered in C++ as it is here.
  const long double x = a.real(j), y = b.real(k);
  switch (op) {
  case Comparison::less:
    return x < y;
  case Comparison::less_equal:
    return x <= y;
  case Comparison::greater:
    return x > y;
  case Comparison::greater_equal:
    return x >= y;
  case Comparison::equal:
    return x == y;
  case Comparison::not_equal:
    return x != y;
  }
  throw std::logic_error("no such comparison");
}

Operands spread(Form form, const Array &x, const Array &y, int literal) {
  const std::size_t n = x.size();
  Array constant(x.type(), n), first_x(x.type(), n), first_y(x.type(), n);
  for (std::size_t i = 0; i < n; ++i) {
    constant.set_integer(i, literal);
    first_x.set_bits(i, x.bits(0));
    first_y.set_bits(i, y.bits(0));
  }
  switch (form) {
  case Form::tile_tile:
    return {x, y};
  case Form::tile_literal:
    return {x, constant};
  case Form::literal_tile:
    return {constant, y};
  case Form::tile_one:
  case Form::tile_scalar:
    return {x, first_y};
  case Form::one_tile:
  case Form::scalar_tile:
    return {first_x, y};
  }
  throw std::logic_error("no such form");
}

}   // namespace tile::conformance
