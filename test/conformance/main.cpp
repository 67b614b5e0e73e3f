// SPDX-License-Identifier: MIT
// `tile test` as a program of its own, for the text tests, which run many of them at once: on the
// interpreter, one case at a time, unless they say otherwise.
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <tile/error.h>
#include <tile/terminal.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto asks = [&](const char *option) {
    return std::ranges::find(arguments, option) != arguments.end();
  };
  if (!asks("--markdown") && !asks("--list"))   // which run nothing, and refuse what only a run takes
    arguments.insert(arguments.begin(), {"--device", "interpreter", "--jobs", "1"});
  try {
    if (asks("--help")) {
      std::fputs(tile::tool::test_help().c_str(), stdout);
      return 0;
    }
    return tile::tool::test(arguments);
  } catch (const tile::tool::BadUsage &wrong) {
    std::fprintf(stderr, "tile_conformance: %s\n", wrong.what());
    return 2;
  } catch (const tile::Error &error) {   // the device does not open
    tile::print_error(stderr, error);
    return 1;
  }
}
