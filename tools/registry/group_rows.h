// SPDX-License-Identifier: MIT
// How many rows the products of a group have, as people write it: 200, so many each; 8192u, so many together,
// of which some products have many and some few.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tile::registry {

struct GroupRows {
  std::int64_t rows;
  bool is_dealt = false;   // among all products
};
std::optional<GroupRows> parse_group_rows(std::string_view text);

// So many rows cut at places that look random and are the same each time, so that other programs measure the
// same: tools/peers/torch_peers.py cuts likewise.
std::vector<std::int64_t> dealt_rows(std::int64_t rows, std::int64_t groups);

}   // namespace tile::registry
