// SPDX-License-Identifier: MIT
// Layouts out of the text of IR, for whoever shows them. No MLIR header is needed to use it.
#pragma once

#include "compiler/layout/tile_layout.h"

#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct FoundLayout {
  layout::TileLayout layout;
  std::string tile;   // "128x64xf16"
  unsigned element_bits = 0;
  std::string text;    // "#tile_gpu.layout<...>"
  std::string place;   // of the first value that has it: "gemm.h:53:14"
  int values = 0;      // of results in the code that have it
};

// "#tile_gpu.layout<register = ...>" or only what stands between the brackets with them. Throws tile::Error
// with the parser's first message.
layout::TileLayout parse_layout(std::string_view text);

// Every layout of a module in the text form of IR, in the order of its first use.
std::vector<FoundLayout> layouts_in(std::string_view module);

}   // namespace tile
