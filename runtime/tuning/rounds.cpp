// SPDX-License-Identifier: MIT
#include "runtime/tuning/rounds.h"

#include "runtime/bench/samples.h"
#include "runtime/error.h"

#include <algorithm>
#include <random>

namespace tile::tuning {
namespace {

using Outcome = Record::Outcome;

class Timing {
 public:
  Timing(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
         const std::function<std::vector<double>(const Measurement &)> &time,
         const std::function<void()> &told, const std::function<bool()> &stop, const RoundOptions &options)
      : records_(records), running_(candidates), time_(time), told_(told), stop_(stop), options_(options),
        samples_(records.size()), in_finals_(records.size()) {}

  void run() {
    if (options_.rounds < 1)
      return;
    time_round();
    std::erase_if(running_, [&](std::size_t i) { return records_[i].outcome == Outcome::open; });
    give_up(options_.behind);
    if (!running_.empty() && best().median < options_.short_launch) {
      in_a_row_ = true;   // and what was measured of each alone is forgotten
      for (std::size_t i : running_) {
        samples_[i].clear();
        records_[i].rounds.clear();
      }
    }
    for (int done = in_a_row_ ? 0 : 1; done < options_.rounds && !is_over(); ++done) {
      time_round();
      if (done > 0)
        give_up(options_.behind_later);
    }
    time_finals();
  }

 private:
  const Record &best() const {
    return records_[*std::ranges::min_element(running_, {},
                                              [&](std::size_t i) { return records_[i].median; })];
  }
  // By rounds, as compare_finalists() has it: medians may be those of different rounds, with another clock.
  const Record &fastest_finalist() const {
    const std::vector<double> &rounds = records_[running_.front()].rounds;
    return records_[*std::ranges::min_element(
        running_, {}, [&](std::size_t i) { return bench::times_as_long(records_[i].rounds, rounds); })];
  }
  bool is_over() const { return stop_ && stop_(); }

  // A single candidate is timed on: its median goes into the table.
  void give_up(double behind) {
    if (running_.empty())
      return;
    const double least = best().median;
    std::erase_if(running_, [&](std::size_t i) {
      records_[i].stopped_early = records_[i].median > behind * least;
      return records_[i].stopped_early;
    });
  }

  void time_finals() {
    if (running_.empty())
      return;
    const double limit = best().median * (1 + options_.final_close);
    std::erase_if(running_, [&](std::size_t i) { return records_[i].median > limit; });
    std::ranges::stable_sort(running_, {}, [&](std::size_t i) { return records_[i].median; });
    running_.resize(std::min(running_.size(), options_.finalists));
    std::ranges::sort(running_);
    if (running_.size() < 2)
      return;
    phase_ = Phase::settling;
    for (const Record &record : records_)
      alone_.push_back(record.median);
    for (double before = -1; spent_ < options_.settle_seconds && spent_ > before && !is_over();) {
      before = spent_;   // what takes no time takes it for ever
      time_round();
    }
    phase_ = Phase::finals;
    for (int done = 1; done <= options_.finals && !is_over() && running_.size() > 1; ++done) {
      time_round();
      if (done >= options_.rounds && !running_.empty()) {
        const Record &fastest = fastest_finalist();
        std::erase_if(running_, [&](std::size_t i) {   // who is not worth the search for a difference
          return &records_[i] != &fastest && leads(fastest, records_[i], options_.close);
        });
      }
    }
    compare_finalists();
    scale_others();
  }

  // From round to round the clock changes by more than configs differ in, within a round it does not.
  void compare_finalists() {
    const Record *fastest = nullptr;
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (in_finals_[i] && records_[i].outcome == Outcome::timed) {
        const Record &record = records_[i];
        const bool is_longer = fastest && record.rounds.size() != fastest->rounds.size();
        if (!fastest ||
            (is_longer ? record.rounds.size() > fastest->rounds.size() : record.median < fastest->median))
          fastest = &record;
      }
    if (!fastest)
      return;
    const std::vector<double> rounds = fastest->rounds;
    const double median = fastest->median;
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (Record &record = records_[i]; in_finals_[i] && record.outcome == Outcome::timed)
        record.median =
            median *
            bench::times_as_long(
                record.rounds, {rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                     rounds.size(), record.rounds.size()))});
  }

  // What was timed alone only is given in the terms of the finals.
  void scale_others() {
    std::vector<double> changes;
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (in_finals_[i] && records_[i].outcome == Outcome::timed)
        changes.push_back(records_[i].median / alone_[i]);
    if (changes.empty())
      return;
    const double change = bench::summarise(changes).median;
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (!in_finals_[i] && records_[i].outcome == Outcome::timed) {
        records_[i].median *= change;
        for (double &round : records_[i].rounds)
          round *= change;
      }
  }

  void time_round() {
    ++round_;
    // Who always comes after the same one always finds the clock and the caches that this one leaves.
    std::vector<std::size_t> order = running_;
    if (round_ > 1 || !stop_)
      for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[random_() % left]);
    for (std::size_t i : order)
      if (!is_over())
        measure(i);
    std::erase_if(running_, [&](std::size_t i) { return records_[i].outcome == Outcome::failed; });
  }

  void measure(std::size_t i) {
    Record &record = records_[i];
    Measurement measurement{.candidate = i,
                            .round = round_,
                            .launches = options_.first_launches,
                            .in_a_row = in_a_row_,
                            .is_final = phase_ != Phase::screening,
                            .is_settling = phase_ == Phase::settling};
    if (measurement.is_final)
      measurement.launches =
          std::clamp(static_cast<int>(options_.final_seconds / std::max(alone_[i], 1e-9)) + 1, 1,
                     options_.most_final_launches);
    else if (in_a_row_)
      measurement.launches = options_.launches_in_a_row;
    else if (round_ > 1)
      measurement.launches =
          std::clamp(static_cast<int>(options_.round_seconds / std::max(record.median, 1e-9)), 1,
                     options_.most_launches);
    try {
      const std::vector<double> more = time_(measurement);
      if (phase_ == Phase::settling) {
        for (double seconds : more)
          spent_ += seconds * measurement.launches;
        return;
      }
      if (phase_ == Phase::finals && !in_finals_[i]) {
        in_finals_[i] = true;   // and what was measured before is forgotten
        samples_[i].clear();
        record.rounds.clear();
      }
      samples_[i].insert(samples_[i].end(), more.begin(), more.end());
      record.rounds.push_back(bench::summarise(more).median);
      const bench::Summary summary = bench::summarise(samples_[i]);
      record.samples = summary.samples;
      record.median = summary.median;
      record.spread = summary.spread;
      record.outcome = Outcome::timed;
    } catch (const Error &error) {
      record.outcome = Outcome::failed;
      record.reason = error.message();
    }
    told_();
  }

  std::vector<Record> &records_;
  std::vector<std::size_t> running_;
  const std::function<std::vector<double>(const Measurement &)> &time_;
  const std::function<void()> &told_;
  const std::function<bool()> &stop_;
  const RoundOptions &options_;
  std::vector<std::vector<double>> samples_;
  std::minstd_rand random_;   // the same numbers everywhere
  int round_ = 0;
  bool in_a_row_ = false;
  enum class Phase : std::uint8_t { screening, settling, finals } phase_ = Phase::screening;
  std::vector<bool> in_finals_;
  std::vector<double> alone_;   // medians before the finals
  double spent_ = 0;            // by settling
};

}   // namespace

void time_in_rounds(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
                    const std::function<std::vector<double>(const Measurement &)> &time,
                    const std::function<void()> &told, const std::function<bool()> &stop,
                    const RoundOptions &options) {
  Timing(records, candidates, time, told, stop, options).run();
}

// Of n coins, how probable are as many heads or more.
bool leads(const Record &a, const Record &b, double ahead) {
  constexpr double chance = 0.05, alike = 1e-4;   // what differs by less is a round that nobody won
  int rounds = 0, won = 0;
  for (std::size_t i = 0; i < std::min(a.rounds.size(), b.rounds.size()); ++i) {
    const double other = b.rounds[i] * (1 + ahead);
    const bool a_won = a.rounds[i] * (1 + alike) < other, b_won = other * (1 + alike) < a.rounds[i];
    rounds += a_won || b_won;
    won += a_won;
  }
  double ways = 1, as_good = 0, all = 1;   // of `heads` among `rounds` coins
  for (int heads = 0; heads <= rounds; ++heads) {
    if (heads >= won)
      as_good += ways;
    ways = ways * (rounds - heads) / (heads + 1);
  }
  for (int i = 0; i < rounds; ++i)
    all *= 2;
  return rounds > 0 && as_good <= chance * all;
}

std::size_t pick(const std::vector<Record> &records) {
  const Record *best = nullptr, *picked = nullptr;
  for (const Record &r : records)
    if (r.outcome == Outcome::timed && (!best || r.median < best->median))
      best = &r;
  for (const Record &r : records) {
    const bool is_as_fast = r.outcome == Outcome::timed && !r.stopped_early &&
                            r.median <= best->median * (1 + RoundOptions().close) && !leads(*best, r);
    if (is_as_fast && (!picked || (picked->spill_bytes > 0 && r.spill_bytes <= 0)))
      picked = &r;
  }
  return picked ? static_cast<std::size_t>(picked - records.data())
         : best ? static_cast<std::size_t>(best - records.data())
                : records.size();
}

}   // namespace tile::tuning
