// SPDX-License-Identifier: MIT
// Operations that move lanes without looking into them. All take the size of a lane in bytes, so
// that the same loops move values and what is remembered about them (wrapped.h).
#pragma once

#include "compiler/interpreter/program.h"

namespace tile::interpreter {

// result lane [i0, i1, ...] = a[i0 * steps[0] + i1 * steps[1] + ...]: broadcast and permute.
// Adjacent axes that move together are one; see strided().
struct Strided : Detail {
  Extents extents;
  std::vector<std::int64_t> steps;
};
Strided strided(const Extents &extents, const std::vector<std::int64_t> &steps);

Handler splatHandler(std::size_t bytes);
Handler stridedHandler(std::size_t bytes);
Handler joinHandler(std::size_t bytes);    // a and b, lane by lane
Handler splitHandler(std::size_t bytes);   // even lanes to `result`, odd ones to `c`; lanes: of the result
Handler copyHandler(std::size_t bytes);
Handler arangeHandler();   // Arange

struct Arange : Detail {
  std::int32_t start;
};

// a: the source; b: indices of the result's extents.
struct Gather : Detail {
  Extents result, source;
  std::size_t axis;
  bool wide;   // 64-bit indices
};
Handler gatherHandler(std::size_t bytes);

}   // namespace tile::interpreter
