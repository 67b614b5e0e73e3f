// SPDX-License-Identifier: MIT
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

namespace tile::tool {

// What sizes a launch has does not change what is traced; element types and functions do.
std::vector<Option> trace_options(const registry::Entry &kernel, std::vector<Option> others) {
  std::vector<Option> options;
  for (const registry::Parameter &p : kernel.parameters)
    if (!p.choices.empty() && !kernel.is_of_library())
      options.push_back({p.name, "NAME", p.help + ": " + registry::joined(p.choices) + "; " + p.fallback});
  if (kernel.is_of_library())
    options.push_back({"classes", "P=C,...",
                       "promises about arguments: 16 (an address or a number is a multiple of 16), 1 (a "
                       "number is 1), any; any"});
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

std::vector<Option> specialization_options(const std::string &uses_arch) {
  return {{"arch", "NAME",
           "the GPU" + uses_arch + ": " + registry::joined(Target::knownTargets()) + "; " +
               std::string(default_target)},
          {"config", "F=V,...", "fields of the kernel's config"},
          {"specialized", "", "for contiguous operands, aligned to 16 bytes, of sizes divisible by 16"}};
}

Specialization::Specialization(const registry::Entry &kernel, const CommandLine &line)
    : settings(kernel.parameters), target(target_named(std::string(default_target))),
      is_specialized(line.has("specialized")) {
  for (const Given &given : line.options) {
    if (given.name == "arch")
      target = target_named(given.value);
    else if (given.name == "config")
      settings.config += (settings.config.empty() ? "" : ",") + given.value;
    else if (given.name == "classes")
      settings.classes += (settings.classes.empty() ? "" : ",") + given.value;
    else if (kernel.parameter(given.name))
      settings.set(given.name, given.value);
  }
}

const StageDescription &stage_named(const std::string &name) {
  std::vector<std::string> names;
  for (const StageDescription &stage : stages()) {
    if (stage.name == name)
      return stage;
    names.emplace_back(stage.name);
  }
  throw BadUsage(fmt::format("no stage `{}`{}; accepted are {}", name, registry::did_you_mean(name, names),
                             registry::joined(names)));
}

Target target_named(const std::string &name) {
  if (std::optional<Target> target = Target::parse(name))
    return *target;
  throw BadUsage(fmt::format("no architecture `{}`{}; accepted are {}", name,
                             registry::did_you_mean(name, Target::knownTargets()),
                             registry::joined(Target::knownTargets())));
}

}   // namespace tile::tool
