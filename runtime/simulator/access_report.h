// SPDX-License-Identifier: MIT
// What accesses to memory have cost, by the user's lines, for people.
#pragma once

#include "runtime/simulator/access_log.h"
#include "runtime/simulator/program.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tile::simulator {

class AccessReport {
 public:
  void add(const Site &site, AccessKind kind, const AccessCounts &counts) {
    lines_[{site.where.file, site.where.line, site.what, kind}].add(counts);
  }
  AccessCounts total(AccessKind kind) const;

  // "global loads: 64 instructions, 256 sectors of 32 bytes (ideal 256)", and the like; the lines that cost
  // the most more than they would have to.
  std::vector<std::string> text() const;

 private:
  using Place = std::tuple<std::string, unsigned, std::string, AccessKind>;
  std::string worst(bool global) const;
  std::map<Place, AccessCounts> lines_;
};

}   // namespace tile::simulator
