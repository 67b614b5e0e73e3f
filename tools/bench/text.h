// SPDX-License-Identifier: MIT
// A report as people read it on a terminal, and as other programs read it.
#pragma once

#include "tools/bench/report.h"

#include <string>

namespace tile::bench {

std::string table(const Report &report);
std::string csv(const Report &report);
// A line of JSON each: the run, then a row for each provider at each shape, then what it comes to.
std::string json_lines(const Report &report);

// "682", "68.3", "1.71": four digits at most.
std::string rate_text(double value);

}   // namespace tile::bench
