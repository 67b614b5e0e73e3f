// SPDX-License-Identifier: MIT
// How far names are apart.
#include "runtime/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tile {

// Insertions, deletions, substitutions and swaps of neighbours that lead from a to b.
static std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t least = 1 + std::max<std::size_t>(1, name.size() / 3);
  for (std::string_view candidate : candidates)
    if (const std::size_t distance = edit_distance(name, candidate);
        distance < least && 2 * distance <= name.size()) {   // of "k", nothing would be left
      least = distance;
      best = candidate;
    }
  return best;
}

}   // namespace tile
