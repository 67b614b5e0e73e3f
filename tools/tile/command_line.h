// SPDX-License-Identifier: MIT
// `--name value` and `--name=value`, checked against what a command takes. LLVM's command line would bring
// LLVM's own hundred options into a tool for users.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tile::tool {

// The user asked for something that does not exist: one line, exit code 2.
class BadUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string name, value_name, help;   // value_name empty: a flag
};

struct Given {
  std::string name, value;
};

struct CommandLine {
  std::vector<std::string> operands;   // what is not an option, in order
  std::vector<Given> options;          // in order; a flag's value is empty

  const std::string *find(std::string_view name) const;   // the last one given
  bool has(std::string_view name) const { return find(name) != nullptr; }
};

// Throws BadUsage for an unknown option, a missing value or a value that a flag does not take. `command` is
// for the message: "tile run gemm".
CommandLine parse(std::span<const std::string> arguments, std::span<const Option> accepted,
                  std::string_view command);

// What stands between the commas of a value.
std::vector<std::string> items_of(const std::string &list);

// Throws BadUsage where one of these options is given: "--arch has no effect WHERE".
void refuse_idle(const CommandLine &line, std::initializer_list<std::string_view> names,
                 std::string_view where);

// Throws tile::Error: "cannot write FILE".
void write_file(const std::string &path, std::string_view contents);

// "  --m N        rows of a" for each.
std::string describe(std::span<const Option> options);

}   // namespace tile::tool
