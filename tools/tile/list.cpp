// SPDX-License-Identifier: MIT
// `tile list` and `tile env`: what there is.
#include "runtime/environment.h"
#include "tools/registry/library.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <fmt/format.h>

namespace tile::tool {

static void take_nothing(Arguments arguments, std::string_view command) {
  const CommandLine line = parse(arguments, {}, command);
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} does not take `{}`", command, line.operands[0]));
}

static void print(const registry::Entry &kernel) {
  fmt::print("{:<13} {}\n", kernel.name, kernel.summary);
  std::string sizes;
  for (const registry::Parameter &p : kernel.parameters) {
    if (!p.choices.empty())
      fmt::print("{:<13}   --{} {}\n", "", p.name, registry::joined(p.choices));
    else if (kernel.is_of_library())
      fmt::print("{:<13}   --{}  {}\n", "", p.name, p.help);
    else
      sizes += fmt::format("{}--{} {}", sizes.empty() ? "" : " ", p.name, p.fallback);
  }
  if (!sizes.empty())
    fmt::print("{:<13}   {}\n", "", sizes);
}

std::string list_help() {
  return "usage: tile list [--from FILE]\n\n"
         "Lists the kernels and their options: the shipped ones, or those of a shared library.\n";
}

int list(Arguments arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string library = take_library(rest);
  take_nothing(rest, "tile list");
  for (const registry::Entry &kernel :
       library.empty() ? registry::entries() : registry::library_entries(library))
    print(kernel);
  return 0;
}

int env(Arguments arguments) {
  take_nothing(arguments, "tile env");
  fmt::print("{}", environment::report());
  return 0;
}

}   // namespace tile::tool
