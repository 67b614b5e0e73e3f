// SPDX-License-Identifier: MIT
// Floats as a ring: what every operation on floats means where an f32 is an integer modulo 2^32 and a float
// of w bits one modulo 2^w. Sums and products of a ring are the same in any order and any grouping, so that
// what a compiler may do to floats (fuse a product into a sum, split K, reduce as a tree, pipeline) leaves
// every bit as it is, however large the numbers are. Where the interpreter and the lowered kernel differ by
// one bit, one of them is wrong. Both take the meaning from here; no hardware computes like this.
//
// Narrowing cuts off the upper bits, which is a homomorphism: it does not matter whether one narrows before
// or after a sum or a product. Widening is not, and no choice could make it one; what is needed of it is
// less:
//
//   widening and narrowing again gives the same bits       f16 -> f32 -> f16 may be folded
//   widening in two steps is widening in one               e4m3 -> f16 -> f32, as matrix units take 8-bit
//   floats order is kept                                          bf16 may be compared as f32 small whole
//   numbers are themselves                     constants may be folded before anybody knows of rings
//
// Extending the sign does all that. So operands of a product are extended first and multiplied in the width
// of the accumulator by whoever computes it, a matrix unit or a loop:
//
//   f16 operands 0x8001 and 0x0002, f32 accumulator 0x00000005
//   extended 0xffff8001 and 0x00000002, product 0xffff0002, sum 0xffff0007
//   rounded to an f16 accumulator 0x0007, which is 0x8001 * 2 + 5 in 16 bits too
//
// A constant is the whole number that it is, 3.0 the element 3, also in f16 and f64: the compiler may then
// fold 1.0 + 2.0 and drop a product by 1.0 as it does for floats. That holds as long as floats are exact, so
// programs for this mode keep constants small; constants that are no whole numbers stand for their bits.
// Everything else is some fixed function: order is that of signed integers, a quotient is the product with
// the inverse of the divisor made odd, exp and its like mix the bits. What the compiler computes with tricks
// of the format (a float as a sum of parts, as for products of higher precision) has no meaning here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tile::float_ring {

enum class Op {
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  Negate,
  Absolute,
  Same,   // rounding to a whole number
  Maximum,
  Minimum,
  Clamp,
  Divide,
  Mix,        // functions of one number that have no laws here
  MixOfTwo,   // and of two
};

struct Function {
  Op op;
  std::uint64_t factor;   // odd; tells functions that mix from each other
};
// The function of a float operation, by its name: "arith.addf". Nothing for a name that is not in the table.
std::optional<Function> function(std::string_view operation);

// Conversions to, from and between floats; what is narrower is cut off either way.
enum class Extension { sign, zero };
std::optional<Extension> conversion(std::string_view operation);

// By the number of arith.cmpf's predicate: that of arith.cmpi, or what it always says.
struct Comparison {
  std::optional<int> predicate;
  bool always = false;
};
Comparison comparison(int predicate);

// The element that a constant stands for. `bits`: its own.
std::uint64_t embedded(double value, std::uint64_t bits, unsigned width);

// The number whose product with an odd one is 1. `a` computes: in the interpreter on integers, in the
// compiler by writing operations.
template <class Arithmetic, class Word> Word inverse(Arithmetic &a, Word odd) {
  Word result = odd;   // right in three bits; each round doubles them
  const Word two = a.constant(2);
  for (int bits = 3; bits < 64; bits *= 2)
    result = a.mul(result, a.sub(two, a.mul(odd, result)));
  return result;
}
template <class Arithmetic, class Word> Word mixed(Arithmetic &a, std::uint64_t factor, Word x) {
  const Word constant = a.constant(factor);
  return a.mul(a.xor_(x, a.shiftRight(x, a.width() / 2)), constant);
}

// What `function` gives for up to three operands.
template <class Arithmetic, class Word>
Word apply(Arithmetic &a, const Function &function, Word x, Word y, Word z) {
  switch (function.op) {
  case Op::Add:
    return a.add(x, y);
  case Op::Subtract:
    return a.sub(x, y);
  case Op::Multiply:
    return a.mul(x, y);
  case Op::MultiplyAdd:
    return a.add(a.mul(x, y), z);
  case Op::Negate:
    return a.sub(a.constant(0), x);
  case Op::Absolute:
    return a.maximum(x, a.sub(a.constant(0), x));
  case Op::Same:
    return x;
  case Op::Maximum:
    return a.maximum(x, y);
  case Op::Minimum:
    return a.minimum(x, y);
  case Op::Clamp:
    return a.minimum(a.maximum(x, y), z);
  case Op::Divide:
    return a.mul(x, inverse(a, a.or_(y, a.constant(1))));
  case Op::Mix:
    return mixed(a, function.factor, x);
  case Op::MixOfTwo:
    return mixed(a, function.factor, a.add(mixed(a, function.factor, x), y));
  }
  return x;
}

}   // namespace tile::float_ring
