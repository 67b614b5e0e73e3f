// SPDX-License-Identifier: MIT
// A layout as a picture: one cell per element, in an SVG file that needs nothing else.
#pragma once

#include "compiler/layout/tile_layout.h"

#include <string>

namespace tile::layout {

struct SvgOptions {
  std::string title;
  unsigned elementBits = 16;   // says which bank of shared memory an element lies in
};

constexpr std::int64_t MostSvgElements = 1 << 16;

// Of rank 1 or 2, with at most MostSvgElements elements. Of threads: cells are coloured by warp, lighter and
// darker by lane, and say "lane:register". Of shared memory: cells are coloured by bank and say the offset.
std::string svg(const TileLayout &layout, const SvgOptions &options);

// The bank of the element at an offset: 32 banks of 4 bytes.
unsigned bankOf(std::int64_t offset, unsigned elementBits);

}   // namespace tile::layout
