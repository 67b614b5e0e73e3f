// SPDX-License-Identifier: MIT
// A round times every call once. Rounds at the beginning count only as warming up, until the clocks are
// steady: a GPU that was idle first raises its clock, then lowers it as it gets to its limit of power.
#include "runtime/bench/samples.h"
#include "runtime/bench/stopwatch.h"

#include "runtime/error.h"

#include <algorithm>
#include <cmath>

namespace tile::bench {
namespace {

// Rounds are steady when those of the last so many seconds, several of them, take the same time but for this
// part. A power limit takes some tenths of a second until it lowers a clock.
constexpr double steady_seconds = 0.3, steady_within = 0.01;
constexpr std::size_t steady_rounds = 5;

std::unique_ptr<Stopwatch> stopwatch_of(Device &device) {
  std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  if (!stopwatch)
    throw Error("the " + std::string(device.kind()) + " has no clock: nothing can be timed there", {});
  return stopwatch;
}

class Comparison {
 public:
  Comparison(Device &device, std::span<const Call> calls, const Options &options)
      : device_(device), calls_(calls), options_(options), stopwatch_(stopwatch_of(device)),
        series_(calls.size()), timings_(calls.size()) {}

  std::vector<Timing> run() {
    for (std::size_t i = 0; i < calls_.size() && !stopped(); ++i)
      guarded(i, [&] { prepare(i); });
    settle();
    for (int round = 0; round < options_.rounds && !stopped(); ++round) {
      for (std::size_t place = 0; place < calls_.size() && !stopped(); ++place) {
        const std::size_t i = round % 2 ? calls_.size() - 1 - place : place;
        guarded(i, [&] { timings_[i].samples.push_back(sample(i)); });
      }
      if (options_.told)
        options_.told(round + 1, options_.rounds);
    }
    for (Timing &timing : timings_) {
      const Summary summary = summarise(timing.samples);
      timing.median = summary.median;
      timing.spread = summary.spread;
    }
    return std::move(timings_);
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }

  template <class Work> void guarded(std::size_t i, Work &&work) {
    if (!timings_[i].failure.empty())
      return;
    try {
      work();
    } catch (const Error &error) {
      timings_[i].failure = error.message();
      timings_[i].samples.clear();
      series_[i].reset();
    }
  }

  void prepare(std::size_t i) {
    const Call &call = calls_[i];
    stopwatch_->with_context([&] { call(0); });
    device_.synchronize();
    if (options_.cache == Cache::cold)
      return;
    const int sets = options_.cache == Cache::rotating ? std::max(options_.sets, 1) : 1;
    // The duration of one call, with little of what surrounds it.
    constexpr int few = 4;
    const auto in_turn = [call, sets](int n) { call(n % sets); };
    const double once = stopwatch_->series(in_turn, few)->run(any_time) / few;
    const double wanted = std::ceil(options_.sample_seconds / std::max(once, 1e-9));
    int count = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(options_.most_calls)));
    count = (count + sets - 1) / sets * sets;   // so that each set is as old as all the others
    timings_[i].calls = count;
    series_[i] = stopwatch_->series(in_turn, count);
    timings_[i].is_recorded = series_[i]->is_recorded();
  }

  double sample(std::size_t i) {
    if (options_.cache == Cache::cold)
      return stopwatch_->time([&] { calls_[i](0); }, 1, any_time).front();
    return series_[i]->run(any_time) / timings_[i].calls;
  }

  void settle() {
    std::vector<double> rounds;
    double spent = 0;
    while (spent < options_.settle_seconds && !is_steady(rounds) && !stopped()) {
      double round = 0;
      for (std::size_t i = 0; i < calls_.size() && !stopped(); ++i)
        guarded(i, [&] { round += sample(i) * timings_[i].calls; });
      if (round <= 0)
        return;   // nothing is left that could be timed
      rounds.push_back(round);
      spent += round;
    }
  }
  static bool is_steady(const std::vector<double> &rounds) {
    std::size_t count = 0;
    double seconds = 0;
    for (auto round = rounds.rbegin(); round != rounds.rend() && seconds < steady_seconds; ++round, ++count)
      seconds += *round;
    if (seconds < steady_seconds)
      return false;
    const std::size_t last = std::min(std::max(count, steady_rounds), rounds.size());
    const auto [least, most] =
        std::minmax_element(rounds.end() - static_cast<std::ptrdiff_t>(last), rounds.end());
    return last >= steady_rounds && *most <= *least * (1 + steady_within);
  }

  Device &device_;
  std::span<const Call> calls_;
  const Options &options_;
  std::unique_ptr<Stopwatch> stopwatch_;
  std::vector<std::unique_ptr<Series>> series_;
  std::vector<Timing> timings_;
};

}   // namespace

std::vector<Timing> compare(Device &device, std::span<const Call> calls, const Options &options) {
  return Comparison(device, calls, options).run();
}

Timing time(Device &device, const Call &call, const Options &options) {
  Timing timing = std::move(compare(device, std::span(&call, 1), options).front());
  if (!timing.failure.empty())
    throw Error(timing.failure, {});
  return timing;
}

Machine machine(Device &device) { return stopwatch_of(device)->machine(); }
Telemetry telemetry(Device &device) { return stopwatch_of(device)->telemetry(); }

}   // namespace tile::bench
