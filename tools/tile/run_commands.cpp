// SPDX-License-Identifier: MIT
// What `tile-run` knows: enough to run a kernel, and built minutes sooner than all of `tile`, with its
// conformance suite and random programs. It is what `tools/dev run` builds.
#include "tools/tile/commands.h"

namespace tile::tool {

const std::vector<Command> &commands() {
  static const std::vector<Command> all{
      {"run", "run a kernel on random inputs and check it against float64", run, run_help},
      {"list", "list the kernels and their options", list, list_help},
      {"env", "print the environment variables in force", env, nullptr},
      {"help", "explain the tool or one command", help, nullptr}};
  return all;
}

}   // namespace tile::tool
