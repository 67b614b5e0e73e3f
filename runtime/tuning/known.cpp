// SPDX-License-Identifier: MIT
#include "runtime/tuning/known.h"

#include "runtime/tuning/rounds.h"

#include <algorithm>

namespace tile::tuning {
namespace {

using Outcome = Record::Outcome;

bool was_timed(const Record *record) { return record && record->outcome == Outcome::timed; }

Record scaled(Record record, double by) {
  record.median *= by;
  for (double &seconds : record.rounds)
    seconds *= by;
  return record;
}

}   // namespace

void Known::add(const std::vector<Record> &records, const std::string &fastest, const std::string &beside) {
  const auto again = std::ranges::find(records, beside, &Record::config);
  const bool is_beside = !beside.empty() && was_timed(find(beside)) && again != records.end() &&
                         was_timed(&*again) && again->median > 0;
  const double scale = is_beside ? find(beside)->median / again->median : 1;
  if (!is_beside)
    beaten_.clear();
  for (const Record &record : records) {
    if (record.outcome == Outcome::open || record.outcome == Outcome::pruned)
      continue;
    if (record.outcome == Outcome::left_out && find(record.config))
      continue;
    beaten_.insert(record.config);
    const bool is_news = record.outcome != Outcome::left_out && !(is_beside && record.config == beside);
    if (is_news)
      records_[record.config] = scaled(record, scale);
    else
      records_.try_emplace(record.config, record);
  }
  // Two processes may have measured beside the same config, each one of its own.
  if (!is_beside || !was_timed(find(best_)) || best_ == beside ||
      (fastest != beside && was_timed(find(fastest)) && find(fastest)->median < find(best_)->median))
    best_ = fastest;
}

const Record *Known::find(const std::string &config) const {
  const auto found = records_.find(config);
  return found == records_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> Known::fastest(const std::vector<std::string> &configs) const {
  const auto best = std::ranges::find(configs, best_);
  const auto was_tried = [&](const std::string &config) { return beaten_.contains(config); };
  if (best != configs.end() && was_timed(find(best_)) && std::ranges::all_of(configs, was_tried))
    return static_cast<std::size_t>(best - configs.begin());
  std::vector<Record> records;
  for (const std::string &config : configs) {
    const Record *record = find(config);
    records.push_back(record ? *record : Record{.config = config});
  }
  const std::size_t picked = pick(records);
  return picked < records.size() ? std::optional(picked) : std::nullopt;
}

}   // namespace tile::tuning
