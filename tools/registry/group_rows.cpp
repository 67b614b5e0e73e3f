// SPDX-License-Identifier: MIT
#include "tools/registry/group_rows.h"

#include "tools/registry/registry.h"

#include <algorithm>

namespace tile::registry {

std::optional<GroupRows> parse_group_rows(std::string_view text) {
  const bool is_dealt = text.ends_with('u');
  text.remove_suffix(is_dealt);
  const std::optional<std::int64_t> rows = parse_count(text);
  return rows ? std::optional(GroupRows{*rows, is_dealt}) : std::nullopt;
}

std::vector<std::int64_t> dealt_rows(std::int64_t rows, std::int64_t groups) {
  std::vector<std::int64_t> ends;
  for (std::int64_t i = 1; i < groups; ++i) {
    std::uint64_t x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9;
    ends.push_back(static_cast<std::int64_t>((x ^ x >> 32) % static_cast<std::uint64_t>(rows + 1)));
  }
  std::ranges::sort(ends);
  if (groups > 0)
    ends.push_back(rows);
  for (std::size_t i = ends.size(); i-- > 1;)
    ends[i] -= ends[i - 1];
  return ends;
}

}   // namespace tile::registry
