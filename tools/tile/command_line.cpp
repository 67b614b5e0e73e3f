// SPDX-License-Identifier: MIT
// The parser, and the sentences it refuses options with.
#include "tools/tile/command_line.h"

#include "runtime/error.h"
#include "tools/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace tile::tool {

const std::string *CommandLine::find(std::string_view name) const {
  const std::string *value = nullptr;
  for (const Given &given : options)
    if (given.name == name)
      value = &given.value;
  return value;
}

static const Option &option_named(std::string_view name, std::span<const Option> accepted,
                                  std::string_view command) {
  std::vector<std::string> names;
  for (const Option &option : accepted) {
    if (option.name == name)
      return option;
    names.push_back(option.name);
  }
  const std::string meant = registry::did_you_mean(name, names, "--");
  for (std::string &known : names)
    known.insert(0, "--");
  throw BadUsage(fmt::format("{} has no option --{}{}; {}", command, name, meant,
                             names.empty() ? "it takes none" : "accepted are " + registry::joined(names)));
}

CommandLine parse(std::span<const std::string> arguments, std::span<const Option> accepted,
                  std::string_view command) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (!argument.starts_with("-") || argument == "-") {
      line.operands.push_back(argument);
      continue;
    }
    if (!argument.starts_with("--"))
      throw BadUsage(fmt::format("options begin with two dashes: `{}` is not an option", argument));
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Option &option = option_named(name, accepted, command);
    if (option.value_name.empty()) {
      if (equals != std::string::npos)
        throw BadUsage(fmt::format("--{} takes no value", name));
      line.options.push_back({name, ""});
    } else if (equals != std::string::npos) {
      line.options.push_back({name, argument.substr(equals + 1)});
    } else if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--")) {
      throw BadUsage(fmt::format("--{} needs a value: --{} {}", name, name, option.value_name));
    } else {
      line.options.push_back({name, arguments[++i]});
    }
  }
  return line;
}

std::vector<std::string> items_of(const std::string &list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0;;) {
    const std::size_t end = list.find(',', begin);
    items.push_back(list.substr(begin, end - begin));
    if (end == std::string::npos)
      return items;
    begin = end + 1;
  }
}

void refuse_idle(const CommandLine &line, std::initializer_list<std::string_view> names,
                 std::string_view where) {
  for (std::string_view name : names)
    if (line.has(name))
      throw BadUsage(fmt::format("--{} has no effect {}", name, where));
}

std::string describe(std::span<const Option> options) {
  std::size_t width = 0;
  auto left = [](const Option &o) {
    return "--" + o.name + (o.value_name.empty() ? "" : " " + o.value_name);
  };
  for (const Option &option : options)
    width = std::max(width, left(option).size());
  std::string text;
  for (const Option &option : options)
    text += fmt::format("  {:<{}}  {}\n", left(option), width, option.help);
  return text;
}

void write_file(const std::string &path, std::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << contents).flush())
    throw Error("cannot write " + path, {}).with_code(ErrorCode::input_output);
}

}   // namespace tile::tool
