// SPDX-License-Identifier: MIT
// Operations of two operands, the forms their operands take, and what they mean.
#pragma once

#include "array.h"

namespace tile::conformance {

enum class Binary {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right
};
enum class Comparison { less, less_equal, greater, greater_equal, equal, not_equal };

// How the operands are given: tiles of n, a literal, a tile of one element, or a scalar of the device.
enum class Form { tile_tile, tile_literal, literal_tile, tile_one, one_tile, tile_scalar, scalar_tile };

const char *name_of(Binary op);
const char *name_of(Comparison op);
const char *name_of(Form form);

// out[i] = a[j] op b[k] by the rules of the language, all three of one type.
void apply(Binary op, Array &out, std::size_t i, const Array &a, std::size_t j, const Array &b,
           std::size_t k);
bool holds(Comparison op, const Array &a, std::size_t j, const Array &b, std::size_t k);

// The operands of a form as whole arrays: literals, single elements and scalars repeated.
struct Operands {
  Array a, b;
};
Operands spread(Form form, const Array &x, const Array &y, int literal);

}   // namespace tile::conformance
