// SPDX-License-Identifier: MIT
// Where a program is, what it claims and what it says.
#pragma once

#include "compiler/interpreter/program.h"

#include <optional>

namespace tile::interpreter {

struct GridAxis : Detail {
  int axis;
};
Handler programIdHandler();
Handler numProgramsHandler();

// a: the conditions; b: the mask, if any.
struct Claim : Detail {
  std::string message;   // "assertion failed: index in range"
  Extents extents;
};
Handler claimHandler();

// a: the values, of which one fact is checked; instructions for several facts follow each other.
struct Fact : Detail {
  enum Kind { Divisible, Contiguous, Constant, Range } kind;
  std::int64_t first = 0, last = 0;   // the divisor or run length; the range
  std::int64_t unit = 1;              // by how much contiguous values grow: bytes for pointers
  Lane lane;
  Extents extents;
};
Handler factHandler();

// a, b: two pointers, promised to point into different buffers.
Handler apartHandler();

struct Print : Detail {
  struct Operand {
    Place place;
    Lane lane;
    Extents extents;
    bool isUnsigned;
  };
  std::string prefix;
  std::vector<Operand> operands;
  bool hex;
};
// One line per element, `prefix (pid 0, 0, 0) [1, 2] value`; scalars have no index. The lines of
// one print come together, those of one program in its order.
Handler printHandler();

}   // namespace tile::interpreter
