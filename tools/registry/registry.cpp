// SPDX-License-Identifier: MIT
// Settings and their checks, and the list of kernels.
#include "tools/registry/registry.h"

#include "runtime/nearest_name.h"
#include "tools/registry/group_rows.h"
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

constexpr std::int64_t most = std::int64_t{1} << 40;

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_count =
      error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= most;
  return is_count ? std::optional(number) : std::nullopt;
}
static std::int64_t count_of(std::string_view name, std::string_view text) {
  if (const std::optional<std::int64_t> number = parse_count(text))
    return *number;
  throw BadSetting(fmt::format("--{} takes a whole number from 0 to {}, not `{}`", name, most, text));
}
static double parse_number(std::string_view name, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadSetting(fmt::format("--{} takes a number, not `{}`", name, text));
  return number;
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
  } else if (p->form == Parameter::Form::number) {
    parse_number(name, value);
  } else if (p->form == Parameter::Form::count) {
    count_of(name, value);
  } else if (p->form == Parameter::Form::rows) {
    if (!parse_group_rows(value))
      throw BadSetting(
          fmt::format("--{} takes a whole number from 0 to {} for each product, or one followed by "
                      "u for all of them, dealt unevenly, not `{}`",
                      name, most, value));
  }   // an extent refers to others, which may follow
  values_[p->name] = std::move(value);
}

bool Settings::has(std::string_view name) const { return values_.find(name) != values_.end(); }
double Settings::number(std::string_view name) const { return parse_number(name, choice(name)); }

// Products before sums, and no parentheses: what arrays are as long as.
std::int64_t Settings::size(std::string_view name) const {
  const std::string &text = choice(name);
  auto refuse = [&](const std::string &why) {
    throw BadSetting(fmt::format("--{} is `{}`: {}", name, text, why));
  };
  auto part = [&](std::string_view word) {
    if (const std::optional<std::int64_t> number = parse_count(word))
      return *number;
    const auto p =
        std::find_if(parameters_.begin(), parameters_.end(), [&](const auto &q) { return q.name == word; });
    if (p == parameters_.end() || p->form != Parameter::Form::count || !p->choices.empty())
      refuse(fmt::format("`{}` is neither a whole number up to {} nor a size of the kernel", word, most));
    return count_of(word, choice(word));
  };
  std::int64_t sum = 0;
  for (std::string_view terms = text;;) {
    const std::string_view term = terms.substr(0, terms.find('+'));
    std::int64_t product = 1;
    for (std::string_view factors = term;;) {
      const std::string_view factor = factors.substr(0, factors.find('*'));
      if (__builtin_mul_overflow(product, part(factor), &product))
        refuse("it is too large");
      if (factor.size() == factors.size())
        break;
      factors.remove_prefix(factor.size() + 1);
    }
    if (__builtin_add_overflow(sum, product, &sum) || sum > most)
      refuse("it is too large");
    if (term.size() == terms.size())
      return sum;
    terms.remove_prefix(term.size() + 1);
  }
}
const std::string &Settings::choice(std::string_view name) const {
  const auto value = values_.find(name);
  if (value == values_.end())
    throw std::logic_error(fmt::format("setting `{}` is not a parameter of the kernel", name));
  if (value->second.empty())
    throw BadSetting(fmt::format("--{} is missing: it has no default", name));
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
  static const std::vector<Entry> all{vector_add_entry(),
                                      softmax_entry(),
                                      log_softmax_entry(),
                                      softmax_backward_entry(),
                                      log_softmax_backward_entry(),
                                      layer_norm_entry(),
                                      rms_norm_entry(),
                                      layer_norm_backward_entry(),
                                      rms_norm_backward_entry(),
                                      cross_entropy_entry(),
                                      top_k_entry(),
                                      gated_activation_entry(),
                                      gated_activation_backward_entry(),
                                      rotary_embedding_entry(),
                                      quantize_rows_entry(),
                                      quantize_blocks_entry(),
                                      quantize_by_entry(),
                                      matmul_entry(),
                                      gemm_entry(),
                                      batched_gemm_entry(),
                                      grouped_gemm_entry(),
                                      expert_gemm_entry(),
                                      scaled_gemm_entry(),
                                      attention_entry(),
                                      attention_backward_entry(),
                                      sequence_attention_entry()};
  return all;
}

const Entry &entry(std::string_view name) { return entry_among(entries(), name); }

const Entry &entry_among(const std::vector<Entry> &entries, std::string_view name, std::string_view where) {
  std::vector<std::string> names;
  for (const Entry &e : entries) {
    if (e.name == name)
      return e;
    names.push_back(e.name);
  }
  throw BadSetting(fmt::format("no kernel `{}`{}{}; there {} {}", name, where, did_you_mean(name, names),
                               names.size() == 1 ? "is" : "are", joined(names)));
}

}   // namespace tile::registry
