// SPDX-License-Identifier: MIT
// How layouts follow from each other through ops that pair, part or regroup axes.
#pragma once

#include "compiler/layout/constructors.h"

#include <optional>

namespace tile {

// Another shape of the same elements in row-major order with each element where it was: the bits of the axes
// are dealt out anew. None where an odd factor would have to move within a row-major number.
std::optional<layout::TileLayout> reshapeLayout(const layout::TileLayout &from, const layout::Shape &shape);

// With a new last axis of extent 2 in the lowest bit of the register: pairs lie side by side.
layout::TileLayout joinLayout(const layout::TileLayout &operand);

}   // namespace tile
