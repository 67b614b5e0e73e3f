// SPDX-License-Identifier: MIT
// Random linear layouts for property tests: any map, injective or not, surjective or not.
#pragma once

#include "compiler/layout/linear_layout.h"

#include <random>

namespace tile::layout {

class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed) : random_(seed) {}

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  // Up to `maxBits` bits on each side, spread over registers, lanes, warps and two axes.
  LinearLayout any(unsigned maxBits) {
    std::vector<Space> ins = spaces({Dim::Register, Dim::Lane, Dim::Warp}, below(maxBits + 1));
    std::vector<Space> outs = spaces({axis(0), axis(1)}, below(maxBits + 1));
    return with(ins, outs);
  }
  LinearLayout with(const std::vector<Space> &ins, const std::vector<Space> &outs) {
    unsigned inBits = 0, outBits = 0;
    for (const Space &s : ins)
      inBits += s.bits;
    for (const Space &s : outs)
      outBits += s.bits;
    std::vector<std::uint64_t> columns;
    for (unsigned i = 0; i < inBits; ++i)
      columns.push_back(random_() & ((std::uint64_t(1) << outBits) - 1));
    return {ins, outs, columns};
  }
  LinearLayout surjective(unsigned maxBits) {
    for (;;)
      if (LinearLayout l = any(maxBits); l.isSurjective())
        return l;
  }

 private:
  std::vector<Space> spaces(std::vector<Dim> dims, unsigned bits) {
    std::vector<Space> result;
    for (Dim d : dims)
      result.push_back({d, 0});
    for (unsigned i = 0; i < bits; ++i)
      ++result[below(static_cast<unsigned>(result.size()))].bits;
    return result;
  }
  std::mt19937_64 random_;
};

}   // namespace tile::layout
