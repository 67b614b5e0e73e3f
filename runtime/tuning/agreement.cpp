// SPDX-License-Identifier: MIT
#include "runtime/tuning/agreement.h"

#include <algorithm>
#include <utility>

namespace tile::tuning {

Agreement::Agreement(const std::vector<std::size_t> &order, ResultOf result_of, AreAlike are_alike)
    : result_of_(std::move(result_of)), are_alike_(std::move(are_alike)) {
  for (const std::size_t candidate : order)
    entries_.push_back({candidate});
}

void Agreement::add(std::size_t place) {
  entries_[place].state = Entry::State::ready;
  advance();
}

void Agreement::drop(std::size_t place) {
  entries_[place].state = Entry::State::done;
  advance();
}

void Agreement::advance() {
  while (turn_ < entries_.size() && entries_[turn_].state != Entry::State::missing)
    sort_in_turn(entries_[turn_++]);
  for (std::size_t place = turn_; place < entries_.size(); ++place)
    if (entries_[place].state == Entry::State::ready)
      sort_ahead(entries_[place]);
}

void Agreement::sort_in_turn(Entry &entry) {
  if (entry.state == Entry::State::done)
    return;
  entry.state = Entry::State::done;
  std::optional<Scratch::Result> result = result_of_(entry.candidate);
  if (!result)
    return;
  const auto alike =
      std::ranges::find_if(groups_, [&](const Group &group) { return are_alike_(*result, group.result); });
  if (alike != groups_.end())
    alike->candidates.push_back(entry.candidate);
  else
    groups_.push_back({std::move(*result), {entry.candidate}});
}

void Agreement::sort_ahead(Entry &entry) {
  if (groups_.empty()) {
    // One is run all the same: from then on there is one that is known to run.
    if (!is_tried_ahead_) {
      if (result_of_(entry.candidate))
        is_tried_ahead_ = true;
      else
        entry.state = Entry::State::done;
    }
    return;
  }
  const std::optional<Scratch::Result> result = result_of_(entry.candidate);
  if (result && !are_alike_(*result, groups_.front().result)) {
    entry.state = Entry::State::waits;
    return;
  }
  entry.state = Entry::State::done;
  if (result)
    groups_.front().candidates.push_back(entry.candidate);
}

}   // namespace tile::tuning
