// SPDX-License-Identifier: MIT
// What `tile trace` prints and writes of one kernel, predicted or measured.
#pragma once

#include "runtime/timeline/page.h"

#include <string>
#include <utility>
#include <vector>

namespace tile::tool {

using Facts = std::vector<std::pair<std::string, std::string>>;

struct TraceFiles {
  std::string page, events, svg;   // empty: none
};

struct ShownTrace {
  std::string settings;   // "m=512 n=512"
  Facts facts;
  std::vector<std::string> sentences;
  const timeline::Traced &traced;
  const timeline::Traced &events;   // for the file of events, which may show more CTAs
  const std::vector<timeline::Role> &roles;
  const timeline::Predicted *predicted = nullptr;   // for the page
};

// `number`: of the kernel among those of its launch.
void show(const ShownTrace &trace, const TraceFiles &files, std::size_t number);

}   // namespace tile::tool
