// SPDX-License-Identifier: MIT
// What the compiler has chosen at a line of a kernel, and why.
#pragma once

#include <tile/error.h>

#include <string>
#include <vector>

namespace tile {

struct Remark {
  std::string text;
  Location where;
};

// In the order of the source; remarks of one line keep their order.
void sort_by_place(std::vector<Remark> &remarks);
// Sorted remarks below the lines of the source that they are about:
//   kernels/gemm.h:55
//      |
//   55 |     acc = dot(x, y, acc, product);
//      |           ^
//     = multiplied from shared memory by 8 warps; ...
std::string text_of(const std::vector<Remark> &sorted);

}   // namespace tile
