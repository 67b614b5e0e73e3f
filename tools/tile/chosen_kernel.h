// SPDX-License-Identifier: MIT
// The kernel that a command is about: a shipped one by its name, or with --from one of a shared library.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

#include <span>
#include <string>
#include <vector>

namespace tile::tool {

struct ChosenKernel {
  const registry::Entry &entry;
  std::vector<std::string> rest;   // of the arguments, without the name and --from
  std::string command;             // for messages: "tile dump gemm"
};

// Throws BadUsage where no kernel is named.
ChosenKernel chosen_kernel(Arguments arguments, const std::string &command);

// Takes --from FILE out of the arguments; empty where it is not given. Throws BadUsage.
std::string take_library(std::vector<std::string> &arguments);

// For commands that time: --reference, which kernels of libraries take.
Option reference_option();

// "--from FILE  ..." for the help of such commands.
std::string from_help();

// What follows the name of the one kernel that a command takes. Throws BadUsage where that is no option.
CommandLine parse_options(std::span<const std::string> rest, std::span<const Option> accepted,
                          const std::string &command);

// For help: each kernel with its options.
std::string options_of_kernels(std::vector<Option> (*options)(const registry::Entry &kernel,
                                                              std::vector<Option> others));

}   // namespace tile::tool
