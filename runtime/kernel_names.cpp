// SPDX-License-Identifier: MIT
#include "runtime/kernel_names.h"

namespace tile {

std::string kernel_title(std::string_view name, std::string_view config) {
  return "kernel " + std::string(name) + (config.empty() ? "" : ", config " + std::string(config));
}

const char *checked_kernel_name(const char *name, const std::source_location &where) {
  if (!name || !*name)
    throw Error("the kernel has no name", where)
        .add_help("set `.name = \"...\"` in the kernel object, or leave it out: then the name is `kernel`");
  return name;
}

std::string parameter_name(const std::vector<const char *> &names, std::size_t i) {
  return i < names.size() && names[i] && *names[i] ? names[i] : "arg" + std::to_string(i);
}

}   // namespace tile
