// SPDX-License-Identifier: MIT
// What the entries of all kernels do alike: pick a C++ type by its name, time a launch, judge its result.
#pragma once

#include "compiler/dsl/dsl.h"
#include "tools/reference/compare.h"
#include "tools/reference/placed.h"
#include "tools/reference/rows.h"
#include "tools/registry/registry.h"

#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tile::registry {

// Calls f(std::type_identity<T>) with that T of the list which has the name.
template <class... Ts, class F> auto with_element(const std::string &name, F f) {
  using Result = std::common_type_t<decltype(f(std::type_identity<Ts>()))...>;
  std::optional<Result> result;
  auto call_if_named = [&]<class T>(std::type_identity<T> type) {
    if (name == element_type<T>.name())
      result.emplace(f(type));
  };
  (call_if_named(std::type_identity<Ts>()), ...);
  return std::move(result.value());   // the name is one of the parameter's choices
}
template <class... Ts> std::vector<std::string> element_names() { return {element_type<Ts>.name()...}; }

// Throws BadSetting where parse_config() throws, and for numbers that no config may have.
void check_config_numbers(const tile::detail::FieldTable &table, const void *config);
[[noreturn]] void refuse_config(const Error &error);

// `base` with what the text says changed.
template <class C> C config_from(const std::string &text, C base = {}) {
  try {
    base = parse_config<C>(text, base);
  } catch (const Error &error) {
    refuse_config(error);
  }
  check_config_numbers(tile::detail::field_table<C>(), &base);
  return base;
}
// The config that was asked for, if any was.
template <class C> std::optional<C> config_of(const Settings &settings) {
  return settings.config.empty() ? std::nullopt : std::optional(config_from<C>(settings.config));
}
template <class C> std::string config_text(const std::optional<C> &config) {
  return config ? describe_config(*config) : "the kernel's choice";
}

// The fields in which a config differs from another, as config_from() reads them.
std::string config_difference(const std::string &described, const std::string &base);
template <class C> std::vector<std::string> config_texts(const std::vector<C> &configs, const C &base = {}) {
  std::vector<std::string> texts;
  for (const C &config : configs)
    texts.push_back(config_difference(describe_config(config), describe_config(base)));
  return texts;
}

// Rows of an input of a Problem, and an input of one column.
reference::Matrix rows_of_operand(const Problem::Read &read, std::size_t operand, std::int64_t cols,
                                  std::span<const std::int64_t> rows);
std::vector<double> column_of(const Problem::Read &read, std::size_t operand, std::int64_t rows);

template <class F> double timed(Device &device, F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The verdict on an output: its elements, or those of some rows where all would take more than the effort,
// and the memory around it. expected(rows) computes these rows.
template <class T, class F>
reference::Verdict judge(reference::Placed<T> &output, double work_of_row, const reference::Effort &effort,
                         const reference::Tolerance &tolerance, F expected, std::size_t results = 1) {
  const std::vector<std::int64_t> rows =
      reference::compared_rows(output.rows(), work_of_row, effort, results);
  reference::Verdict verdict = reference::compare(output.name(), output.download(rows), expected(rows),
                                                  element_type<T>, tolerance, rows);
  verdict.sampled_rows = static_cast<std::int64_t>(rows.size());
  verdict.rows = output.rows();
  verdict.add(reference::untouched(output.name(), output.overwritten_bytes()));
  return verdict;
}

}   // namespace tile::registry
