// SPDX-License-Identifier: MIT
// A part of a timeline as SVG: a row for each role, for the copies that are under way and for the matrix
// unit.
#pragma once

#include "runtime/timeline/advice.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile::timeline {

std::string picture(const Traced &traced, const std::vector<Role> &roles, double begin, double end);

// The same as a file of its own, with what its colours mean.
std::string picture_file(const Traced &traced, const std::vector<Role> &roles, double begin, double end);

// The colours of its parts, as rules for classes; for light and for dark pages, and on paper.
std::string_view picture_style();

// A colour's name, as in `var(--data)`, and what is drawn in it.
struct LegendEntry {
  std::string_view colour, meaning;
};
std::span<const LegendEntry> legend_entries();

}   // namespace tile::timeline
