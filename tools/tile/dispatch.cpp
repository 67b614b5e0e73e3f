// SPDX-License-Identifier: MIT
// A program of commands: finds the one that is wanted, and turns what it throws into one message and an exit
// code.
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/terminal.h"
#include "tile/version.h"
#include "tools/registry/registry.h"
#include "tools/streams/standard_streams.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <system_error>

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
    fmt::print("tile {}\n", headers_version);
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
    std::fputs(("warning: " + warning + "\n").c_str(), stderr);
  return command.run(arguments.subspan(1));
}

// Nothing here throws: the stream may be what failed.
int complain(const std::string &message, int code) {
  std::fputs(("tile: " + message + "\n").c_str(), stderr);
  return code;
}

int guarded(Arguments arguments) {
  try {
    return dispatch(arguments);
  } catch (const BadUsage &wrong) {
    return complain(wrong.what(), 2);
  } catch (const registry::BadSetting &wrong) {
    return complain(wrong.what(), 2);
  } catch (const Error &error) {
    print_error(stderr, error);
  } catch (const std::bad_alloc &) {
    complain("not enough memory for operands of these sizes", 1);
  } catch (const std::system_error &error) {
    if (!std::ferror(stdout) && !std::ferror(stderr))   // else the end says it
      complain(error.what(), 1);
  } catch (const std::exception &error) {
    complain(error.what(), 1);
  }
  return 1;
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
  tool::hold_standard_streams();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return tool::finish_standard_streams("tile", tool::guarded(arguments));
}
