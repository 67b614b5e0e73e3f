// SPDX-License-Identifier: MIT
#include "runtime/tuning/shipped.h"

#include "runtime/error.h"
#include "runtime/json.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace tile::tuning {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;   // kernel, arguments, key
struct Line {
  std::string device, config;
  bool is_predicted;
};
using Table = std::multimap<Key, Line>;

Shipped read_line(std::string_view text) {
  const json::Value line = json::parse(text);
  Shipped read;
  for (const auto &[name, to] :
       std::array<std::pair<const char *, std::string *>, 5>{{{"device", &read.device},
                                                              {"kernel", &read.kernel},
                                                              {"arguments", &read.arguments},
                                                              {"key", &read.key},
                                                              {"config", &read.config}}}) {
    const json::Value *value = line.find(name);
    if (!value || !value->string())
      throw Error(std::string("has no string `") + name + "`", {});
    *to = *value->string();
  }
  const json::Value *predicted = line.find("predicted");
  read.is_predicted = predicted && predicted->boolean() && *predicted->boolean();
  return read;
}

Table read_table(std::string_view lines) {
  Table table;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty())
      continue;
    try {
      Shipped read = read_line(line);
      table.emplace(Key(std::move(read.kernel), std::move(read.arguments), std::move(read.key)),
                    Line{std::move(read.device), std::move(read.config), read.is_predicted});
    } catch (const Error &error) {
      Error here("line " + std::to_string(number) +
                     " of the tunings that ship with a kernel: " + error.message(),
                 {});
      here.add_help("`tile tune KERNEL ... --table FILE` writes such lines");
      throw here;
    }
  }
  return table;
}

}   // namespace

std::string shipped_config(std::string_view lines, const Shipped &wanted) {
  static std::mutex mutex;
  static auto &tables = *new std::map<std::pair<const char *, std::size_t>, Table>;
  const std::lock_guard lock(mutex);
  auto table = tables.find({lines.data(), lines.size()});
  if (table == tables.end())
    table = tables.emplace(std::pair(lines.data(), lines.size()), read_table(lines)).first;
  const auto [begin, end] = table->second.equal_range({wanted.kernel, wanted.arguments, wanted.key});
  for (const bool is_predicted : {false, true})
    for (auto line = begin; line != end; ++line)
      if (line->second.is_predicted == is_predicted &&
          (wanted.device == line->second.device || wanted.device.starts_with(line->second.device + ",")))
        return line->second.config;
  return {};
}

std::string line_of(const Shipped &tuning) {
  json::Object line{{"device", tuning.device}, {"kernel", tuning.kernel}, {"arguments", tuning.arguments},
                    {"key", tuning.key},       {"config", tuning.config}, {"median", tuning.median}};
  if (tuning.is_predicted)
    line.emplace_back("predicted", true);
  return json::Value(std::move(line)).text();
}

}   // namespace tile::tuning
