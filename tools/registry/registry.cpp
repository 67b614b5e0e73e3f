// SPDX-License-Identifier: MIT
// Settings and their checks, and the list of kernels.
#include "tools/registry/registry.h"

#include "runtime/nearest_name.h"
#include "tools/registry/kernel_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tile::registry {

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string> &candidates,
                         std::string_view prefix) {
  const std::vector<std::string_view> names(candidates.begin(), candidates.end());
  const std::optional<std::string_view> nearest = nearest_name(name, names);
  return nearest ? fmt::format(" (did you mean `{}{}`?)", prefix, *nearest) : "";
}

Settings::Settings(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  for (const Parameter &p : parameters_)
    values_[p.name] = p.fallback;
}

void Settings::set(std::string_view name, std::string value) {
  const auto p =
      std::find_if(parameters_.begin(), parameters_.end(), [&](const auto &q) { return q.name == name; });
  if (p == parameters_.end())
    throw BadSetting(fmt::format("no setting `{}`", name));
  if (!p->choices.empty()) {
    if (std::find(p->choices.begin(), p->choices.end(), value) == p->choices.end())
      throw BadSetting(fmt::format("--{} does not take `{}`{}; accepted are {}", name, value,
                                   did_you_mean(value, p->choices), joined(p->choices)));
  } else {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    constexpr std::int64_t limit = std::int64_t{1} << 40;
    if (error != std::errc() || end != value.data() + value.size() || number < 0 || number > limit)
      throw BadSetting(fmt::format("--{} takes a whole number from 0 to {}, not `{}`", name, limit, value));
  }
  values_[p->name] = std::move(value);
}

bool Settings::has(std::string_view name) const { return values_.find(name) != values_.end(); }
std::int64_t Settings::size(std::string_view name) const { return std::stoll(choice(name)); }
const std::string &Settings::choice(std::string_view name) const {
  const auto value = values_.find(name);
  if (value == values_.end())
    throw std::logic_error(fmt::format("setting `{}` is not a parameter of the kernel", name));
  return value->second;
}

std::string Settings::text() const {
  std::string text;
  for (const Parameter &p : parameters_)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", p.name, choice(p.name));
  return text;
}

const Parameter *Entry::parameter(std::string_view parameter_name) const {
  const auto p = std::find_if(parameters.begin(), parameters.end(),
                              [&](const auto &q) { return q.name == parameter_name; });
  return p == parameters.end() ? nullptr : &*p;
}

const std::vector<Entry> &entries() {
  static const std::vector<Entry> all{vector_add_entry(), softmax_entry(), layer_norm_entry(),
                                      matmul_entry(),     gemm_entry(),    grouped_gemm_entry(), attention_entry()};
  return all;
}

const Entry &entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry &e : entries()) {
    if (e.name == name)
      return e;
    names.push_back(e.name);
  }
  throw BadSetting(
      fmt::format("no kernel `{}`{}; there are {}", name, did_you_mean(name, names), joined(names)));
}

}   // namespace tile::registry
