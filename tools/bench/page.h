// SPDX-License-Identifier: MIT
// A report as one page that needs nothing else, and its first chart alone.
#pragma once

#include "tools/bench/report.h"

#include <string>

namespace tile::bench {

std::string page(const Report &report);
std::string speed_chart(const Report &report);   // SVG

}   // namespace tile::bench
