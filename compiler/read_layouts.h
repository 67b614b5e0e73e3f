// SPDX-License-Identifier: MIT
// Layouts out of the text of IR (compiler/api/layout_text.h).
#pragma once

#include "compiler/api/layout_text.h"

#include <string_view>
#include <vector>

namespace tile {

layout::TileLayout parseLayout(std::string_view text);
std::vector<FoundLayout> layoutsIn(std::string_view module);

}   // namespace tile
