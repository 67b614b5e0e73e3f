// SPDX-License-Identifier: MIT
#include "tools/tile/chosen_kernel.h"

#include "tools/registry/library.h"
#include "tools/tile/command_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::tool {

std::string from_help() {
  return "\nwith your own kernel from a shared library (docs/own-kernels.md):\n"
         "  --from FILE  the library; the options are then the kernel's parameters, which `tile list --from "
         "FILE` "
         "shows\n";
}

Option reference_option() {
  return {"reference", "SIZES",
          "of your own kernel: sizes at which the interpreter computes the reference, n=1000,m=64; or "
          "none; sizes lowered until the interpreter is fast"};
}

std::string take_library(std::vector<std::string> &arguments) {
  std::string library;
  const std::string name = "--from", begin = name + "=";
  for (std::size_t i = 0; i < arguments.size();) {
    const bool is_it = arguments[i] == name, is_joined = arguments[i].starts_with(begin);
    if (!is_it && !is_joined) {
      ++i;
      continue;
    }
    if (!library.empty())
      throw BadUsage("--from is given twice: a command takes kernels of one library");
    if (is_it && (i + 1 == arguments.size() || arguments[i + 1].starts_with("--")))
      throw BadUsage("--from needs a value: --from ./libmine.so");
    library = is_it ? arguments[i + 1] : arguments[i].substr(begin.size());
    if (library.empty())
      throw BadUsage("--from names no library: --from ./libmine.so");
    const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(at, at + (is_it ? 2 : 1));
  }
  return library;
}

ChosenKernel chosen_kernel(Arguments arguments, const std::string &command) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string library = take_library(rest);
  if (rest.empty() || rest[0].starts_with("-"))
    throw BadUsage(fmt::format("tile {} needs the name of a kernel first; `tile list{}` shows them", command,
                               library.empty() ? "" : " --from " + library));
  const std::string name = rest[0];
  rest.erase(rest.begin());
  const registry::Entry &entry =
      library.empty() ? registry::entry(name) : registry::library_entry(library, name);
  return {entry, std::move(rest), fmt::format("tile {} {}", command, name)};
}

CommandLine parse_options(std::span<const std::string> rest, std::span<const Option> accepted,
                          const std::string &command) {
  CommandLine line = parse(rest, accepted, command);
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} takes one kernel and options, not `{}`", command, line.operands[0]));
  return line;
}

std::string options_of_kernels(std::vector<Option> (*options)(const registry::Entry &kernel,
                                                              std::vector<Option> others)) {
  std::string text;
  for (const registry::Entry &kernel : registry::entries())
    text += fmt::format("\n{}: {}\n{}", kernel.name, kernel.summary, describe(options(kernel, {})));
  return text;
}

}   // namespace tile::tool
