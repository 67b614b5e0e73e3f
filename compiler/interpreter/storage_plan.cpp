// SPDX-License-Identifier: MIT
#include "compiler/interpreter/storage_plan.h"

#include <iterator>

namespace tile::interpreter {

Place StoragePlan::take(std::size_t bytes) {
  bytes = rounded(bytes);
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at)
    if (at->second >= bytes && (best == free_.end() || at->second < best->second))
      best = at;
  if (best == free_.end())
    return takeNew(bytes);
  const auto [place, size] = *best;
  free_.erase(best);
  if (size > bytes)
    free_.emplace(place + bytes, size - bytes);
  return place;
}

Place StoragePlan::takeNew(std::size_t bytes) {
  const Place place = end_;
  end_ += rounded(bytes);
  return place;
}

void StoragePlan::giveBack(Place place, std::size_t bytes) {
  auto at = free_.emplace(place, rounded(bytes)).first;
  if (const auto next = std::next(at); next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at != free_.begin())
    if (const auto before = std::prev(at); before->first + before->second == at->first) {
      before->second += at->second;
      free_.erase(at);
    }
}

}   // namespace tile::interpreter
