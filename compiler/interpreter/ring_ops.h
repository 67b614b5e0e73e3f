// SPDX-License-Identifier: MIT
// The loops behind operations on floats that are elements of a ring. `lane` is always that of the integers of
// the float's width.
#pragma once

#include "compiler/analysis/float_ring.h"
#include "compiler/interpreter/atomics.h"
#include "compiler/interpreter/dot.h"

namespace tile::interpreter {

struct RingFunction : Detail {
  float_ring::Function function;
};
Handler ringHandler(Lane lane);   // up to three operands: a, b, c

// A comparison that does not look at its operands.
struct RingAnswer : Detail {
  bool always;
};
Handler ringAnswerHandler();

Handler ringDotHandler(Lane sum);   // Dot
Update ringUpdate(Update update);

}   // namespace tile::interpreter
