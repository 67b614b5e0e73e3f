// SPDX-License-Identifier: MIT
// Offsets that overflowed 32 bits, or 64. Wrapping is what the language says integers do, and hashes
// rely on it; an *address* that wrapped is a mistake nearly always, and a silent one. So
// additions, subtractions and products from which an address is computed note the lanes that
// wrapped, what is computed from such lanes keeps the note, and the access through one reports it.
//
//   %o = arith.muli %rows, %stride     lane 37 wraps: its note is the number of this operation
//   %p = tile.addptr %base, %o         so does the pointer's lane 37
//   tile.load %p, %mask                an error if the mask is true there
//
// Division, remainder, bit operations and truncation end it: they make an index of any number.
// The decoder knows which values can carry notes and adds these instructions for them alone.
#pragma once

#include "compiler/interpreter/elementwise.h"

#include <optional>

namespace tile::interpreter {

// As the integer operation on lanes of I32 or I64, and notes which lanes wrapped. The result must not
// write over an operand.
struct WrapCheck : Detail {
  std::uint16_t number;   // of the operation; 1-based index into Program::wrappers
  std::optional<Wrapped> a, b;
  Wrapped result;
};
Handler checkedHandler(IntegerOp op, Lane lane, bool isUnsigned);

// Any lane-by-lane operation that keeps the note: the result's lane has a's, else b's. With a
// condition (its place in Instruction::c) a's where it is true and b's elsewhere.
struct WrapMerge : Detail {
  std::optional<Wrapped> a, b;
  Wrapped result;
  bool hasCondition = false, oneCondition = false;
};
Handler mergeWrappedHandler();

// The lanes of a moved value move along: `move` runs on the notes when there are any.
struct WrapMove : Detail {
  Wrapped a, result;
  Instruction move;
};
Handler moveWrappedHandler();

// Nothing wrapped where `from` is absent.
void moveWrapped(Machine &m, const Wrapped &to, const std::optional<Wrapped> &from, std::size_t lanes);

}   // namespace tile::interpreter
