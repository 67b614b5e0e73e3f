// SPDX-License-Identifier: MIT
// Entries of functions of rows, whose checked run follows from their problem.
#pragma once

#include "tools/reference/row_functions.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

#include <functional>
#include <memory>

namespace tile::registry {

// Launches the problem once on random inputs, and compares each of its outputs.
Outcome run_problem(Device &device, const Settings &settings, const Problem &problem,
                    const std::string &config);

// Of settings m and n: what is moved, and the argument classes of a trace.
inline Work work_of_matrices(const Settings &settings, double matrices, ElementType type) {
  return {.bytes = matrices * type.bytes() * static_cast<double>(settings.size("m")) *
                   static_cast<double>(settings.size("n"))};
}
struct RowClasses {
  ArgClass any = ArgClass::generic, by16, one;
  explicit RowClasses(bool specialized)
      : by16(specialized ? ArgClass::divisible_by_16 : any), one(specialized ? ArgClass::one : any) {}
};

inline std::vector<std::int64_t> all_rows(std::int64_t rows) { return reference::sampled_rows(rows, rows); }

// These elements of numbers, as rows of one column.
inline reference::Matrix elements_of(const std::vector<double> &numbers, std::span<const std::int64_t> some) {
  reference::Matrix column(static_cast<std::int64_t>(some.size()), 1);
  for (std::size_t i = 0; i < some.size(); ++i)
    column.values[i] = numbers[static_cast<std::size_t>(some[i])];
  return column;
}
inline reference::Matrix as_column(const std::vector<double> &numbers) {
  reference::Matrix column(static_cast<std::int64_t>(numbers.size()), 1);
  column.values = numbers;
  return column;
}

// Function<T> has static functions problem(settings), trace(settings, specialized) and configs(). One of the
// parameters is dtype.
template <template <class> class Function>
Entry entry_of(const char *name, const char *summary, std::vector<Parameter> parameters) {
  auto with = [](const Settings &settings, auto f) {
    return with_element<f16, bf16, f32>(settings.choice("dtype"), f);
  };
  return {.name = name,
          .summary = summary,
          .parameters = std::move(parameters),
          .run =
              [with](Device &device, const Settings &settings) {
                return with(settings, [&]<class T>(std::type_identity<T>) {
                  return run_problem(device, settings, Function<T>::problem(settings),
                                     config_text(config_of<typename Function<T>::Config>(settings)));
                });
              },
          .trace =
              [with](const Settings &settings, bool specialized) {
                return with(settings, [&]<class T>(std::type_identity<T>) {
                  return Function<T>::trace(settings, specialized);
                });
              },
          .configs =
              [with](const Settings &settings) {
                return with(settings, [&]<class T>(std::type_identity<T>) {
                  return config_texts(Function<T>::configs(settings));
                });
              },
          .problem =
              [with](const Settings &settings) {
                return with(settings,
                            [&]<class T>(std::type_identity<T>) { return Function<T>::problem(settings); });
              }};
}

// With rows and columns.
template <template <class> class Function>
Entry row_entry(const char *name, const char *summary, std::vector<Parameter> further = {}) {
  std::vector<Parameter> parameters{{"m", "rows", "64", {}},
                                    {"n", "columns", "1823", {}},
                                    {"dtype", "element type", "f32", element_names<f16, bf16, f32>()}};
  for (Parameter &parameter : further)
    parameters.push_back(std::move(parameter));
  return entry_of<Function>(name, summary, std::move(parameters));
}

}   // namespace tile::registry
