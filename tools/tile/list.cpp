// SPDX-License-Identifier: MIT
// `tile list` and `tile env`: what there is.
#include "tile/environment.h"
#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <fmt/format.h>

namespace tile::tool {

static void take_nothing(Arguments arguments, std::string_view command) {
  const CommandLine line = parse(arguments, {}, command);
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} takes no `{}`", command, line.operands[0]));
}

int list(Arguments arguments) {
  take_nothing(arguments, "tile list");
  for (const registry::Entry &kernel : registry::entries()) {
    fmt::print("{:<13} {}\n", kernel.name, kernel.summary);
    std::string sizes;
    for (const registry::Parameter &p : kernel.parameters) {
      if (p.choices.empty())
        sizes += fmt::format("{}--{} {}", sizes.empty() ? "" : " ", p.name, p.fallback);
      else
        fmt::print("{:<13}   --{} {}\n", "", p.name, registry::joined(p.choices));
    }
    fmt::print("{:<13}   {}\n", "", sizes);
  }
  return 0;
}

int env(Arguments arguments) {
  take_nothing(arguments, "tile env");
  fmt::print("{}", environment::report());
  return 0;
}

}   // namespace tile::tool
