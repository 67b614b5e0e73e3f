// SPDX-License-Identifier: MIT
// `tile header`: the C header of what a library exports.
#include "runtime/error.h"
#include "tools/registry/c_header.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <fmt/format.h>

namespace tile::tool {

static const std::vector<Option> options{{"out", "FILE", "write the header there; default: standard output"}};

std::string header_help() {
  return "usage: tile header --from FILE [options]\n\n"
         "Writes the C header of the functions that a shared library exports with TILE_EXPORT.\n\n" +
         describe(options) + "\nFor example:  tile header --from ./libmine.so --out mine.h\n";
}

int header(Arguments arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string library = take_library(rest);
  const CommandLine line = parse(rest, options, "tile header");
  if (!line.operands.empty())
    throw BadUsage(fmt::format("tile header does not take `{}`", line.operands[0]));
  if (library.empty())
    throw BadUsage("tile header needs a library, as in tile header --from ./libmine.so");
  const std::string text = registry::c_header(library);
  const std::string *path = line.find("out");
  if (!path) {
    fmt::print("{}", text);
    return 0;
  }
  write_file(*path, text);
  return 0;
}

}   // namespace tile::tool
