// SPDX-License-Identifier: MIT
// A program of commands: finds the one that is wanted, and turns what it throws into one message and an exit
// code.
#include "tile/environment.h"
#include "tile/error.h"
#include "tile/terminal.h"
#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <fmt/format.h>

#include <new>

namespace tile::tool {
namespace {

const Command &command_named(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &command : commands()) {
    if (command.name == name)
      return command;
    names.push_back(command.name);
  }
  throw BadUsage(fmt::format("no command `{}`{}; there are {}", name, registry::did_you_mean(name, names),
                             registry::joined(names)));
}

int dispatch(Arguments arguments) {
  if (arguments.empty()) {
    help({});
    return 2;
  }
  const std::string &first = arguments[0];
  if (first == "--version") {
    fmt::print("tile {}\n", TILE_VERSION);
    return 0;
  }
  if (first == "--help-env") {
    fmt::print("{}", environment::help());
    return 0;
  }
  if (first == "--help" || first == "-h")
    return help({});
  const Command &command = command_named(first);
  for (const std::string &argument : arguments.subspan(1))
    if (argument == "--help" || argument == "-h")
      return help(arguments.first(1));
  environment::check_values();
  for (const std::string &warning : environment::warnings())
    fmt::print(stderr, "warning: {}\n", warning);
  return command.run(arguments.subspan(1));
}

int complain(const char *message) {
  fmt::print(stderr, "tile: {}\n", message);
  return 2;
}

}   // namespace

int help(Arguments arguments) {
  if (arguments.size() > 1)
    throw BadUsage("tile help takes the name of one command");
  if (arguments.empty()) {
    fmt::print("usage: tile COMMAND ...\n\n");
    for (const Command &command : commands())
      fmt::print("  {:<6} {}\n", command.name, command.summary);
    fmt::print("\n  --help-env   what the TILE_... environment variables do\n  --version\n\n"
               "For example:  tile run gemm --m 1000 --n 500 --k 64 --dtype bf16 --act leaky_relu\n");
    return 0;
  }
  const Command &command = command_named(arguments[0]);
  fmt::print("{}", command.help ? command.help()
                                : fmt::format("usage: tile {}\n\n{}\n", command.name, command.summary));
  return 0;
}

}   // namespace tile::tool

int main(int argc, char **argv) {
  using namespace tile;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return tool::dispatch(arguments);
  } catch (const tool::BadUsage &wrong) {
    return tool::complain(wrong.what());
  } catch (const registry::BadSetting &wrong) {
    return tool::complain(wrong.what());
  } catch (const Error &error) {
    print_error(stderr, error);
    return 1;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "tile: not enough memory for operands of these sizes\n");
    return 1;
  }
}
