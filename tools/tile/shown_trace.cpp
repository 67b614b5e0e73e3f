// SPDX-License-Identifier: MIT
#include "tools/tile/shown_trace.h"

#include "runtime/timeline/events.h"
#include "runtime/timeline/picture.h"
#include "tools/tile/command_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::tool {
namespace {

using timeline::Role;

void print_roles(const timeline::Traced &traced, const std::vector<Role> &roles) {
  constexpr std::size_t most = 3;
  for (const Role &role : roles) {
    if (role.cta != 0)
      continue;
    fmt::print("{:<26}computes {:.0f}%", role.title(), 100 * role.computing / traced.timeline.cycles);
    constexpr double least = 0.01;
    for (std::size_t i = 0;
         i < std::min(role.waits.size(), most) && role.waits[i].cycles > least * traced.timeline.cycles; ++i)
      fmt::print("; waits {:.0f}% for {} ({})", 100 * role.waits[i].cycles / traced.timeline.cycles,
                 timeline::waited_for(role.waits[i].state), timeline::short_place(role.waits[i].where));
    fmt::print("\n");
  }
}

// The second of several kernels goes to page-2.html.
std::string numbered(const std::string &path, std::size_t number) {
  if (number == 0)
    return path;
  const std::size_t dot = path.rfind('.'),
                    end = dot == std::string::npos || path.find('/', dot) != std::string::npos ? path.size()
                                                                                               : dot;
  return fmt::format("{}-{}{}", path.substr(0, end), number + 1, path.substr(end));
}

}   // namespace

void show(const ShownTrace &trace, const TraceFiles &files, std::size_t number) {
  const std::string &name = trace.traced.program.name;
  fmt::print("{}{}  {}\n", number ? "\n" : "", name, trace.settings);
  for (const auto &[fact, value] : trace.facts)
    fmt::print("{:<8}{}\n", fact, value);
  fmt::print("\n");
  print_roles(trace.traced, trace.roles);
  fmt::print("\n");
  for (const std::string &sentence : trace.sentences)
    fmt::print("{}\n", sentence);
  const auto write = [&](const std::string &path, const std::string &text) {
    write_file(numbered(path, number), text);
    fmt::print("wrote {}\n", numbered(path, number));
  };
  if (!files.page.empty())
    write(files.page, html({name, trace.facts, trace.sentences}, trace.traced, trace.roles, trace.predicted));
  if (!files.svg.empty())
    write(files.svg, timeline::picture_file(trace.traced, trace.roles, 0, trace.traced.timeline.cycles));
  if (!files.events.empty())
    write(files.events, trace_events(trace.events));
}

}   // namespace tile::tool
