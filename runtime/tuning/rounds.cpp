// SPDX-License-Identifier: MIT
#include "runtime/tuning/rounds.h"

#include "runtime/bench/samples.h"
#include "tile/error.h"

#include <algorithm>

namespace tile::tuning {
namespace {

// A spread that is larger says that the machine was disturbed, not that two configs are alike.
constexpr double most_noise = 0.02;

void summarise(Record &record, const std::vector<double> &samples) {
  const bench::Summary summary = bench::summarise(samples);
  record.samples = summary.samples;
  record.median = summary.median;
  record.spread = summary.spread;
}

double noise_of(const Record &record) { return std::min(record.spread, most_noise); }

}   // namespace

void time_in_rounds(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
                    const std::function<std::vector<double>(std::size_t, int)> &time,
                    const std::function<void()> &told, const RoundOptions &options) {
  std::vector<std::size_t> running = candidates;
  std::vector<std::vector<double>> samples(records.size());
  for (int round = 0; round < options.rounds && !running.empty(); ++round) {
    std::erase_if(running, [&](std::size_t i) {
      Record &record = records[i];
      int launches = options.first_launches;
      if (round > 0)
        launches = std::clamp(static_cast<int>(options.round_seconds / std::max(record.median, 1e-9)), 1,
                              options.most_launches);
      try {
        const std::vector<double> more = time(i, launches);
        samples[i].insert(samples[i].end(), more.begin(), more.end());
        summarise(record, samples[i]);
        record.outcome = Record::Outcome::timed;
      } catch (const Error &error) {
        record.outcome = Record::Outcome::failed;
        record.reason = error.message();
      }
      told();
      return record.outcome == Record::Outcome::failed;
    });
    if (round > 0 || running.empty())
      continue;
    double best = records[running.front()].median;
    for (std::size_t i : running)
      best = std::min(best, records[i].median);
    // A single candidate is timed on: its median goes into the table.
    std::erase_if(running, [&](std::size_t i) {
      records[i].stopped_early = records[i].median > options.behind * best;
      return records[i].stopped_early;
    });
  }
}

std::size_t pick(const std::vector<Record> &records) {
  auto timed = [](const Record &r) { return r.outcome == Record::Outcome::timed; };
  const bool all_spill =
      std::ranges::none_of(records, [&](const Record &r) { return timed(r) && r.spill_bytes <= 0; });
  auto candidate = [&](const Record &r) { return timed(r) && (all_spill || r.spill_bytes <= 0); };
  const Record *best = nullptr;
  for (const Record &r : records)
    if (candidate(r) && (!best || r.median < best->median))
      best = &r;
  for (std::size_t i = 0; best && i < records.size(); ++i) {
    const Record &r = records[i];
    const double noise = std::max(noise_of(r), noise_of(*best));
    if (candidate(r) && !r.stopped_early && r.median <= best->median * (1 + noise))
      return i;
  }
  return best ? static_cast<std::size_t>(best - records.data()) : records.size();
}

}   // namespace tile::tuning
