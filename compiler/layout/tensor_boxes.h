// SPDX-License-Identifier: MIT
// A tile in shared memory as the copy engine fills it: boxes of a tensor, one behind the other. A box is as
// wide as the swizzle, so that 64 x 128 elements of 16 bits are two boxes:
//
//     columns   0 .. 63 |  64 .. 127         offset 0     box of columns 0 to 63, rows of 128 bytes
//                                            offset 4096  box of columns 64 to 127
#pragma once

#include "compiler/layout/tile_layout.h"

#include <optional>

namespace tile::layout {

struct TensorBoxes {
  unsigned swizzle;                // bytes of a row of a box; 0 for a single row, where nothing is exchanged
  std::vector<std::int64_t> box;   // its extents, of both axes

  struct Part {
    Coordinates at;        // the first element
    std::int64_t offset;   // where it lies, in elements
  };
  std::vector<Part> parts;

  // Of a tile of rank 2 whose rows are contiguous and swizzled, or of a single row; nothing of others.
  // `mostExtent`: of a box.
  static std::optional<TensorBoxes> of(const TileLayout &tile, unsigned bits, unsigned mostExtent);
};

}   // namespace tile::layout
