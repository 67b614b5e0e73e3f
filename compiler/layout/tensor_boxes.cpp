// SPDX-License-Identifier: MIT
#include "compiler/layout/tensor_boxes.h"

#include "compiler/layout/constructors.h"

#include <algorithm>

namespace tile::layout {

std::optional<TensorBoxes> TensorBoxes::of(const TileLayout &tile, unsigned bits, unsigned mostExtent) {
  if (!tile.isShared() || tile.rank() != 2)
    return std::nullopt;
  const Shape shape = tile.shape();
  const std::int64_t swizzle = sharedSwizzle(shape, bits, 1);
  if (swizzle == 0 || tile != sharedRows(shape, bits, 1))
    return std::nullopt;
  const std::int64_t width = swizzle * 8 / bits;
  // Rows follow each other over the whole tile where it is one box wide, else within the part that is
  // repeated.
  std::int64_t rows = shape[1] == width ? shape[0] : std::int64_t(1) << factor(shape[0]).log2;
  if (rows > mostExtent)
    rows = std::min<std::int64_t>(mostExtent, std::int64_t(1) << factor(shape[0]).log2);
  TensorBoxes boxes{static_cast<unsigned>(swizzle), {rows, width}, {}};
  for (std::int64_t row = 0; row < shape[0]; row += rows)
    for (std::int64_t column = 0; column < shape[1]; column += width)
      boxes.parts.push_back({{row, column}, tile.place({row, column}).reg});
  // The pattern of the swizzle begins anew every eight rows, and so do boxes.
  const std::int64_t pattern = 8 * width;
  if (std::ranges::any_of(boxes.parts, [&](const Part &part) { return part.offset % pattern != 0; }))
    return std::nullopt;
  return boxes;
}

}   // namespace tile::layout
