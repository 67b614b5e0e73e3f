// SPDX-License-Identifier: MIT
#include "runtime/simulator/access_report.h"

#include "runtime/report_text.h"

#include <fmt/format.h>

namespace tile::simulator {
namespace {

std::string sectors(const char *what, const AccessCounts &c) {
  return fmt::format("{}: {} instructions, {} sectors of 32 bytes (ideal {})", what, grouped(c.accesses),
                     grouped(c.parts), grouped(c.least));
}
std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

}   // namespace

AccessCounts AccessReport::total(AccessKind kind) const {
  AccessCounts sum;
  for (const auto &[place, counts] : lines_)
    if (std::get<AccessKind>(place) == kind)
      sum.add(counts);
  return sum;
}

std::string AccessReport::worst(bool global) const {
  const Place *place = nullptr;
  AccessCounts most;
  for (const auto &[at, counts] : lines_)
    if (isGlobal(std::get<AccessKind>(at)) == global && counts.excess() > most.excess()) {
      place = &at;
      most = counts;
    }
  if (!place)
    return "";
  const auto &[file, line, what, kind] = *place;
  return fmt::format("worst of {} memory: {}:{} ({}), {} {} more than needed", global ? "global" : "shared",
                     fileName(file), line, what, grouped(most.excess()), global ? "sectors" : "wavefronts");
}

std::vector<std::string> AccessReport::text() const {
  using enum AccessKind;
  std::vector<std::string> lines;
  for (const auto &[kind, what] : {std::pair{globalLoad, "global loads"},
                                   {globalStore, "global stores"},
                                   {globalUpdate, "global atomics"},
                                   {globalCopy, "global side of asynchronous copies"}})
    if (const AccessCounts counts = total(kind); counts.accesses)
      lines.push_back(sectors(what, counts));
  if (const std::string line = worst(true); !line.empty())
    lines.push_back(line);
  AccessCounts shared;
  for (const AccessKind kind : {sharedLoad, sharedStore, sharedUpdate, sharedMatrix, sharedCopy})
    shared.add(total(kind));
  if (shared.accesses)
    lines.push_back(fmt::format("shared memory: {} accesses, {} wavefronts, {} bank conflicts",
                                grouped(shared.accesses), grouped(shared.parts), grouped(shared.excess())));
  if (const std::string line = worst(false); !line.empty())
    lines.push_back(line);
  return lines;
}

}   // namespace tile::simulator
