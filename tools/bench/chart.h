// SPDX-License-Identifier: MIT
// The charts of a report, as SVG: speed over size, ratios, the roofline. Colours come from the page's style,
// by class: c0 is ours, c1 the first peer; they differ in light, for all kinds of eyes, and lines and marks
// differ, too.
#pragma once

#include "tools/bench/report.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile::bench {

// Cases of one kernel and one variant: what can share an axis.
using Group = std::span<const Case>;
std::vector<Group> groups_of(const Report &report);
std::string title_of(const Case &at);   // "gemm, f16 nn"

// For a screen of a phone, or wider.
enum class Width : std::uint8_t { narrow, wide };

// Each is empty where there is nothing to show.
std::string speed_svg(const Report &report, Group group, Width width);
std::string ratio_svg(const Report &report, Group group, Width width);
std::string roofline_svg(const Report &report, Group group, Width width);

// The style that the charts need, for light and dark.
extern const std::string_view chart_style;

}   // namespace tile::bench
