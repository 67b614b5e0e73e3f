// SPDX-License-Identifier: MIT
// A kernel that was made ready for a device of this process, as far as launches look at it.
#pragma once

#include "runtime/element.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tile::host {

// What a launch is to give.
struct Formal {
  std::string name;
  std::optional<ElementType> type;   // none: whatever it is given
};

struct Kernel {
  std::string kernel, config;                 // names, for reports
  std::vector<Formal> arguments;              // of a launch
  std::vector<unsigned> parameters;           // positions of those that the code takes
  std::array<unsigned, 3> cluster{1, 1, 1};   // programs along each axis that run together

  unsigned ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
  // The last line of every report.
  std::string title() const { return "kernel " + kernel + (config.empty() ? "" : ", config " + config); }
};

}   // namespace tile::host
