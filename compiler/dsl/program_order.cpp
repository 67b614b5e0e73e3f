// SPDX-License-Identifier: MIT
#include "compiler/dsl/operations.h"

#include "compiler/dsl/trace.h"

namespace tile {

// With groups of 2 rows, programs of a 4 x 3 grid are walked so (plain order on the left):
//
//    0  1  2        0  2  4
//    3  4  5        1  3  5
//    6  7  8        6  8 10
//    9 10 11        7  9 11
//
// The last group may have fewer rows. The results are kept inside the grid, where they are anyway: so the
// compiler knows that they are not negative and not large, and that remainders of them count up.
std::pair<Int, Int> swizzle2d(Operand<i32> i, Operand<i32> j, Operand<i32> size_i, Operand<i32> size_j,
                              Operand<i32> group) {
  using enum detail::Binary;
  if (const auto *rows = detail::constant_of(group); rows && rows->bits < 1)
    throw Error("swizzle2d: group must be at least 1, not " + std::to_string(rows->bits), group.loc);
  auto op = [&](detail::Binary code, const detail::Use &a, const detail::Use &b) {
    return detail::binary(code, a, b);
  };
  detail::Use plain = op(add, op(mul, i, size_j), j);
  detail::Use per_group = op(mul, group, size_j);
  detail::Use first_row = op(mul, op(div, plain, per_group), group);
  detail::Use rows = op(min, op(sub, size_i, first_row), group);
  detail::Use within = op(rem, plain, per_group);
  auto inside = [&](const detail::Use &x, const detail::Use &size) {
    detail::Use last = op(sub, size, detail::integer_constant(element_type<i32>, 1, size.loc));
    return Int(op(max, op(min, x, last), detail::integer_constant(element_type<i32>, 0, x.loc)));
  };
  return {inside(op(add, first_row, op(rem, within, rows)), size_i), inside(op(div, within, rows), size_j)};
}

}   // namespace tile
