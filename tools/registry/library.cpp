// SPDX-License-Identifier: MIT
#include "tools/registry/library.h"

#include "tools/registry/library_kernel.h"
#include "tools/registry/load_library.h"
#include "tools/registry/running.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

namespace tile::registry {
namespace {

using library::LibraryAbi;

const LibraryAbi &open_library(const std::string &path) {
  const auto *abi = load_table<LibraryAbi>(path, library::entry_symbol, library::abi_format);
  if (!abi)
    throw Error("--from: " + path + " shows no kernels", {})
        .add_help("in one of its source files, include <tile/library.h> and write "
                  "TILE_KERNEL_LIBRARY(my_kernel, ...)");
  return *abi;
}

std::string type_text(const LibraryKernel::Parameter &p) {
  return (p.type.is_pointer() && p.access == tuning::Access::reads ? "const " : "") + p.type.name();
}

Parameter setting_of(const LibraryKernel::Parameter &p) {
  if (p.type.is_pointer())
    return {p.setting,
            fmt::format("elements of {}, {}: a number, or sizes as in m*k", p.name, type_text(p)),
            "",
            {},
            Parameter::Form::extent};
  if (p.type.is_bool())
    return {p.setting, type_text(p), "0", {"0", "1"}, Parameter::Form::count};
  return {
      p.setting, type_text(p), "", {}, p.type.is_float() ? Parameter::Form::number : Parameter::Form::count};
}

ArgClass class_named(const LibraryKernel::Parameter &p, const std::string &text) {
  if (text == "any")
    return ArgClass::generic;
  if (text == "16" && (p.type.is_pointer() || p.type.is_integer()))
    return ArgClass::divisible_by_16;
  if (text == "1" && p.type.is_integer())
    return ArgClass::one;
  throw BadSetting(fmt::format("--classes: {} is {}, and takes {}, not `{}`", p.name, type_text(p),
                               p.type.is_pointer()   ? "any and 16"
                               : p.type.is_integer() ? "any, 16 and 1"
                                                     : "any",
                               text));
}

// "x=16,n=1"
std::vector<ArgClass> classes_of(const LibraryKernel &kernel, const Settings &settings, bool specialized) {
  std::vector<ArgClass> classes;
  std::vector<std::string> names;
  const std::vector<LibraryKernel::Parameter> parameters = kernel.parameters();
  for (const LibraryKernel::Parameter &p : parameters) {
    const bool has_class = p.type.is_pointer() || p.type.is_integer();
    classes.push_back(specialized && has_class ? ArgClass::divisible_by_16 : ArgClass::generic);
    names.push_back(p.name);
  }
  for (std::string_view rest = settings.classes; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string name(item.substr(0, equals));
    const auto found = std::ranges::find(names, name);
    if (equals == std::string_view::npos || found == names.end())
      throw BadSetting(fmt::format("--classes takes NAME=CLASS,..., not `{}`{}; the names are {}", item,
                                   did_you_mean(name, names), joined(names)));
    const auto at = static_cast<std::size_t>(found - names.begin());
    classes[at] = class_named(parameters[at], std::string(item.substr(equals + 1)));
  }
  return classes;
}

// Without a change to it, the first of the list is what a user looks at.
LibraryKernel::Config config_of(const LibraryKernel &kernel, const Settings &settings) {
  return {kernel.configs() > 0 && settings.config.empty() ? 0 : -1, settings.config};
}

Entry entry_of(const LibraryKernel &kernel) {
  Entry entry{.name = kernel.name(), .library_kernel = std::make_shared<LibraryKernel>(kernel)};
  std::string taken;
  for (const LibraryKernel::Parameter &p : kernel.parameters()) {
    taken += (taken.empty() ? "" : ", ") + type_text(p) + " " + p.name;
    entry.parameters.push_back(setting_of(p));
  }
  entry.summary = fmt::format("({}), {} config{}", taken, kernel.configs(), kernel.configs() == 1 ? "" : "s");
  entry.run = [kernel](Device &device, const Settings &settings) {
    return run_library_kernel(kernel, device, settings);
  };
  entry.trace = [kernel](const Settings &settings, bool specialized) {
    try {
      return kernel.trace(config_of(kernel, settings), classes_of(kernel, settings, specialized));
    } catch (const Error &error) {
      if (error.message().starts_with("config: "))
        refuse_config(error);
      throw;
    }
  };
  entry.configs = [kernel](const Settings &) {
    std::vector<std::string> texts;
    const std::string base = kernel.describe({});
    for (std::size_t i = 0; i < kernel.configs(); ++i)
      texts.push_back(config_difference(kernel.describe({static_cast<int>(i), ""}), base));
    return texts;
  };
  return entry;
}

std::vector<Entry> entries_of(const LibraryAbi &abi, const std::string &path) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < abi.kernels; ++i) {
    const LibraryKernel kernel(abi.kernel[i]);
    if (kernel.name().empty() || !names.insert(kernel.name()).second)
      throw Error(fmt::format("--from: {} has {}", path,
                              kernel.name().empty() ? "a kernel without a name"
                                                    : "two kernels called " + kernel.name()),
                  {})
          .add_help("give each kernel object a name of its own: .name = \"...\"");
    entries.push_back(entry_of(kernel));
  }
  return entries;
}

}   // namespace

const std::vector<Entry> &library_entries(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Entry>> loaded;
  const std::lock_guard lock(mutex);
  const auto known = loaded.find(path);
  return known != loaded.end() ? known->second
                               : loaded.emplace(path, entries_of(open_library(path), path)).first->second;
}

const Entry &library_entry(const std::string &path, std::string_view name) {
  return entry_among(library_entries(path), name, " in " + path);
}

}   // namespace tile::registry
