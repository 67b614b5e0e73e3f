// SPDX-License-Identifier: MIT
// The kernel that a command is about: a shipped one by its name, or with --from one of a shared library.
#pragma once

#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"

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

}   // namespace tile::tool
