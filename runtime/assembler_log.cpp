// SPDX-License-Identifier: MIT
#include "runtime/assembler_log.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tile {

// The number before each mention of `what`, the largest.
static std::optional<int> largest_before(std::string_view log, std::string_view what) {
  std::optional<int> most;
  for (std::size_t at = 0; (at = log.find(what, at)) != std::string_view::npos; ++at) {
    const std::size_t space = at == 0 ? std::string_view::npos : log.find_last_not_of("0123456789", at - 1);
    const std::size_t first = space == std::string_view::npos ? 0 : space + 1;
    int number = 0;
    if (std::from_chars(log.data() + first, log.data() + at, number).ec == std::errc())
      most = std::max(most.value_or(0), number);
  }
  return most;
}

std::optional<int> spill_bytes(std::string_view log) {
  return std::max(largest_before(log, " bytes spill stores"), largest_before(log, " bytes spill loads"));
}

std::optional<int> registers_used(std::string_view log) { return largest_before(log, " registers"); }

}   // namespace tile
