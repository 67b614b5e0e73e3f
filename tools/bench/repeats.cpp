// SPDX-License-Identifier: MIT
#include "tools/bench/repeats.h"

#include "runtime/bench/samples.h"
#include "runtime/error.h"
#include "tools/bench/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

namespace tile::bench {
namespace {

constexpr std::size_t finalists = 6;
constexpr int screening_rounds = 5;

// Medians of configs in the same order, by what the rounds say of each and the first; infinite where one
// fails.
std::vector<double> timed(const Job &job, const std::vector<std::string> &configs, const Options &options) {
  std::vector<Candidate> candidates;
  std::vector<Call> calls;
  for (const std::string &config : configs)
    calls.push_back(candidates.emplace_back(with_config(job, config)).call);
  const std::vector<Timing> timings = compare(job.device, calls, options);
  const auto first = std::ranges::find_if(timings, [](const Timing &t) { return !t.samples.empty(); });
  std::vector<double> medians;
  for (const Timing &timing : timings)
    medians.push_back(timing.samples.empty() ? std::numeric_limits<double>::infinity()
                                             : first->median * times_as_long(timing.samples, first->samples));
  return medians;
}

}   // namespace

int Repeats::within(double part) const {
  return static_cast<int>(std::ranges::count_if(
      picks, [&](const Timed &pick) { return pick.seconds <= best.seconds * (1 + part); }));
}

Repeats repeat_tuning(Device &device, const registry::Entry &kernel, const registry::Settings &settings,
                      const tuning::Options &options, int repeats,
                      const std::function<void(const std::string &)> &told) {
  const std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  const Machine is = stopwatch->machine();
  const registry::Problem problem = kernel.problem(settings);
  const Data data(device, problem, times_cache * static_cast<double>(is.cache_bytes), is.memory_bytes,
                  settings.seed);
  const Job job{device, *stopwatch, kernel, settings, problem, nullptr, data};

  Repeats result;
  std::vector<double> seconds;
  std::set<std::string> all;
  for (int i = 0; i < repeats; ++i) {
    if (told)
      told(fmt::format("sweep {} of {}", i + 1, repeats));
    const std::vector<tuning::Sweep> sweeps = tuned_anew(job, options);
    if (sweeps.size() > 1)
      throw Error(fmt::format("{} launches {} kernels with configs to choose from; repeats are of one",
                              kernel.name, sweeps.size()),
                  {});
    const tuning::Sweep *const sweep = sweeps.empty() ? nullptr : &sweeps.front();
    if (!sweep || !sweep->not_timed.empty())
      throw Error("nothing was timed" + (sweep ? ": " + sweep->not_timed : std::string()), {});
    result.picks.push_back({as_option(job, sweep->records[sweep->winner].config)});
    seconds.push_back(sweep->seconds);
    for (const tuning::Record &record : sweep->records)
      if (record.outcome == tuning::Record::Outcome::timed)
        all.insert(as_option(job, record.config));
  }
  result.sweep_seconds = summarise(seconds).median;

  if (told)
    told("all configs afresh");
  std::vector<std::string> configs(all.begin(), all.end());
  Options how{.cache = is.cache_bytes ? Cache::rotating : Cache::warm, .sets = data.sets()};
  how.rounds = screening_rounds;
  const std::vector<double> little = timed(job, configs, how);
  std::vector<std::size_t> order(configs.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return little[i]; });
  std::set<std::string> last;
  for (const Repeats::Timed &pick : result.picks)
    last.insert(pick.config);
  for (std::size_t n = 0; n < std::min(finalists, order.size()); ++n)
    last.insert(configs[order[n]]);
  if (told)
    told("the picks and the best afresh");
  configs.assign(last.begin(), last.end());
  how.rounds = Options().rounds;
  const std::vector<double> medians = timed(job, configs, how);
  const auto best = std::ranges::min_element(medians) - medians.begin();
  result.best = {configs[static_cast<std::size_t>(best)], medians[static_cast<std::size_t>(best)]};
  for (Repeats::Timed &pick : result.picks)
    pick.seconds =
        medians[static_cast<std::size_t>(std::ranges::find(configs, pick.config) - configs.begin())];
  return result;
}

}   // namespace tile::bench
