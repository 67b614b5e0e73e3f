// SPDX-License-Identifier: MIT
// Products of matrices.
#pragma once

#include "compiler/interpreter/program.h"

namespace tile::interpreter {

// In the numbering of the dialect.
enum class DotPrecision { Tf32, Tf32x3, Bf16x3, Bf16x6, Ieee };

// result = c + a * b; the result may be in c's place.
struct Dot : Detail {
  std::size_t batch, rows, columns, depth;
  Lane a, b, sum;
  DotPrecision precision;
  bool unsignedA, unsignedB;
};
// Null for element types that dot does not have.
Handler dotHandler(Lane a, Lane b, Lane sum);

}   // namespace tile::interpreter
