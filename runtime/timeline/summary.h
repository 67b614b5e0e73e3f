// SPDX-License-Identifier: MIT
// What a timeline says in a few lines: who does what how long, what is waited for and where.
#pragma once

#include "runtime/timeline/timeline.h"

#include <array>
#include <string>
#include <vector>

namespace tile::timeline {

// Warps of one CTA, one behind the other in the CTA, that do the same.
struct Role {
  unsigned cta = 0, first_warp = 0, warps = 1;
  std::string name;   // "copies", "products", "threads"
  struct Wait {
    State state;
    Location where;
    double cycles;
  };
  double computing = 0;        // cycles of the first warp
  std::vector<Wait> waits;     // of the first warp, the longest first
  std::string title() const;   // "products, warps 4 to 7"
};

std::vector<Role> roles(const simulator::Program &program, const simulator::ClusterRecord &record,
                        const Timeline &timeline);

// "a filled slot"
std::string_view waited_for(State state);

}   // namespace tile::timeline
