// SPDX-License-Identifier: MIT
// What the commands that look into a kernel have in common: which specialisation, which stage, which GPU.
#pragma once

#include "compiler/api/compile.h"
#include "runtime/default_target.h"
#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"

#include <string>
#include <string_view>
#include <vector>

namespace tile::tool {

// The options that change what is traced, then `others`.
std::vector<Option> trace_options(const registry::Entry &kernel, std::vector<Option> others);
// Those that choose the specialisation: --arch, --config and --specialized. `uses_arch`: what is special
// about the first of them.
std::vector<Option> specialization_options(const std::string &uses_arch = "");

// What the options above say.
struct Specialization {
  Specialization(const registry::Entry &kernel, const CommandLine &line);

  registry::Settings settings;
  Target target;
  bool is_specialized;
};

// Both throw BadUsage with what is accepted.
const StageDescription &stage_named(const std::string &name);
Target target_named(const std::string &name);

}   // namespace tile::tool
