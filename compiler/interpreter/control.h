// SPDX-License-Identifier: MIT
// Loops and branches: instructions whose detail names blocks of further instructions.
#pragma once

#include "compiler/interpreter/program.h"

#include <optional>

namespace tile::interpreter {

// Values moved all at once, as a yield does: no destination is written before all sources are
// read. What is in place already has no Move; hazards were taken care of by temporary copies.
struct Move {
  Place to, from;
  std::size_t bytes;
  std::optional<Wrapped> wrappedTo, wrappedFrom;
  std::size_t lanes = 0;
};
using Moves = std::vector<Move>;

struct ForLoop : Detail {
  Lane lane;   // of bounds and induction variable: I32 or I64 or narrower
  bool isUnsigned;
  Place lower, upper, step, induction;
  BlockId body;
  Moves enter, back;   // initial values to carried ones; yielded values to carried ones
};
Handler forHandler();

struct WhileLoop : Detail {
  BlockId before, after;
  Place condition;
  Moves enter, onward, back;   // to `before`'s arguments; to `after`'s and the results; to `before`'s again
};
Handler whileHandler();

struct Branch : Detail {
  BlockId then;
  std::optional<BlockId> otherwise;
  Moves thenResults, otherwiseResults;
};
Handler ifHandler();   // a: the condition

}   // namespace tile::interpreter
