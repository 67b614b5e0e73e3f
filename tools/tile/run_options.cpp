// SPDX-License-Identifier: MIT
#include "tools/tile/run_options.h"

#include "compiler/devices/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tile::tool {

// The options of one kernel, then `others`.
std::vector<Option> run_options(const registry::Entry &kernel, std::vector<Option> others) {
  std::vector<Option> options;
  for (const registry::Parameter &p : kernel.parameters)
    options.push_back(
        {p.name, p.choices.empty() ? "N" : "NAME",
         p.help + (p.choices.empty() ? "" : ": " + registry::joined(p.choices)) + "; " + p.fallback});
  for (Option &option : others)
    options.push_back(std::move(option));
  return options;
}

std::int64_t count_up_to(std::int64_t most, const Given &given, std::string_view what) {
  const std::optional<std::int64_t> count = registry::parse_count(given.value);
  if (!count || *count < 1 || *count > most)
    throw BadUsage(fmt::format("--{} takes {} from 1 to {}, not `{}`", given.name, what, most, given.value));
  return *count;
}

std::uint64_t whole_number(const Given &given, std::uint64_t most) {
  const std::string &text = given.value;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadUsage(fmt::format("--{} takes a whole number, 0 or more, not `{}`", given.name, text));
  if (number > most)
    throw BadUsage(fmt::format("--{} takes a whole number up to {}, not `{}`", given.name, most, text));
  return number;
}

void require_device(const std::string &name) {
  const std::vector<std::string> names = device_names();
  // Whether there is such a GPU, says open_device().
  if (std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("cuda:"))
    return;
  throw BadUsage(fmt::format("no device `{}`{}; accepted are {}", name, registry::did_you_mean(name, names),
                             registry::joined(names)));
}

}   // namespace tile::tool
