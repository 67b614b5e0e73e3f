// SPDX-License-Identifier: MIT
#include "compiler/layout/tensor_boxes.h"

#include "compiler/layout/constructors.h"

#include <algorithm>

namespace tile::layout {

// The pattern of a swizzle begins anew with every eighth row.
static constexpr std::int64_t patternRows = 8;
// A box without a swizzle has whole units in a row, and begins at such places.
static constexpr std::int64_t unitBytes = 16, placeBytes = 128;

// The rows of a box where a tile is cut into as few boxes as can be, all of one height that keeps the
// pattern: 192 rows are two boxes of 96 where a box may have 128.
static std::int64_t rowsOfBox(std::int64_t rows, std::int64_t most) {
  if (rows <= most)
    return rows;
  std::int64_t of = most / patternRows * patternRows;
  while (of > 0 && rows % of != 0)
    of -= patternRows;
  return of;
}

// A single row, as it is in memory.
static std::optional<TensorBoxes> ofRow(const TileLayout &tile, unsigned bits, unsigned mostExtent) {
  const Shape shape = tile.shape();
  const std::int64_t width = std::min<std::int64_t>(shape[1], mostExtent), bytes = width * bits / 8;
  if (tile != sharedRows(shape, bits, 1) || shape[1] % width != 0 || bytes % unitBytes != 0 ||
      (shape[1] > width && bytes % placeBytes != 0))
    return std::nullopt;
  TensorBoxes boxes{0, {1, width}, {}};
  for (std::int64_t column = 0; column < shape[1]; column += width)
    boxes.parts.push_back({{0, column}, tile.place({0, column}).reg});
  return boxes;
}

std::optional<TensorBoxes> TensorBoxes::of(const TileLayout &tile, unsigned bits, unsigned mostExtent) {
  if (!tile.isShared() || tile.rank() != 2)
    return std::nullopt;
  const Shape shape = tile.shape();
  if (shape[0] == 1)
    return ofRow(tile, bits, mostExtent);
  const std::int64_t swizzle = sharedSwizzle(shape, bits, 1);
  if (swizzle == 0 || tile != sharedRows(shape, bits, 1))
    return std::nullopt;
  const std::int64_t width = swizzle * 8 / bits;
  // Rows follow each other over the whole tile where it is one box wide, else within the part that is
  // repeated.
  const std::int64_t following = shape[1] == width ? shape[0] : std::int64_t(1) << factor(shape[0]).log2;
  const std::int64_t rows = rowsOfBox(following, mostExtent);
  if (rows == 0)
    return std::nullopt;
  TensorBoxes boxes{static_cast<unsigned>(swizzle), {rows, width}, {}};
  for (std::int64_t row = 0; row < shape[0]; row += rows)
    for (std::int64_t column = 0; column < shape[1]; column += width)
      boxes.parts.push_back({{row, column}, tile.place({row, column}).reg});
  const std::int64_t pattern = patternRows * width;
  if (std::ranges::any_of(boxes.parts, [&](const Part &part) { return part.offset % pattern != 0; }))
    return std::nullopt;
  return boxes;
}

}   // namespace tile::layout
