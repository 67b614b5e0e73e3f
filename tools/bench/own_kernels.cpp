// SPDX-License-Identifier: MIT
#include "tools/bench/own_kernels.h"

#include "runtime/bench/samples.h"
#include "tools/bench/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

namespace tile::bench {
namespace {

using registry::LibraryLaunch;

constexpr std::size_t finalists = 3;
constexpr int semifinal_rounds = 9;

// By the clock of this machine: one launch a sample, so many or as long as there is time.
Timing timed_here(Device &device, const std::function<void()> &launch, const Request &request) {
  constexpr double enough_seconds = 2;
  constexpr std::size_t least_samples = 3;
  Timing timing;
  double all = 0;
  launch();
  device.synchronize();
  while (static_cast<int>(timing.samples.size()) < request.rounds &&
         (all < enough_seconds || timing.samples.size() < least_samples) &&
         !(request.stop && request.stop())) {
    const auto begin = std::chrono::steady_clock::now();
    launch();
    device.synchronize();
    timing.samples.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    all += timing.samples.back();
  }
  const Summary summary = summarise(timing.samples);
  timing.median = summary.median;
  timing.spread = summary.spread;
  return timing;
}

// The type that multiplies, if it does: of the first array.
ElementType type_of(const registry::LibraryKernel &kernel) {
  for (const registry::LibraryKernel::Parameter &p : kernel.parameters())
    if (p.type.is_pointer())
      return p.type.pointee();
  return element_type<f32>;
}

class OwnRun {
 public:
  OwnRun(Device &device, Stopwatch *stopwatch, const Machine &machine, const Request &request,
         const Wanted &wanted, Case &to)
      : device_(device), stopwatch_(stopwatch), machine_(machine), request_(request), entry_(*wanted.kernel),
        kernel_(*wanted.kernel->library_kernel), settings_(wanted.settings), case_(to) {
    if (request.config.kind == ConfigChoice::Kind::given)
      settings_.config = request.config.config;
  }

  void run() {
    sets_.push_back(std::make_unique<LibraryLaunch>(kernel_, device_, settings_));
    case_.work = sets_[0]->work();
    const std::vector<LibraryLaunch::Config> all = sets_[0]->configs();
    if (sets_[0]->is_empty()) {
      case_.skipped = "there is nothing to do: the grid is empty";
      return;
    }
    const Roof least = roof(machine_, case_.work, type_of(kernel_), /*tf32=*/false);
    case_.roof_seconds = least.seconds;
    case_.is_memory_bound = least.is_memory_bound;
    std::vector<LibraryLaunch::Config> configs = worth_timing(all);
    std::erase_if(configs, [&](const LibraryLaunch::Config &config) { return !is_right(config); });
    if (configs.empty() || stopped())
      return;
    make_sets();
    if (request_.config.kind == ConfigChoice::Kind::tuned && configs.size() > 1)
      configs = {best(configs)};
    measure(configs);
  }

 private:
  bool stopped() const { return request_.stop && request_.stop(); }
  void tell(const std::string &what) const {
    if (request_.told)
      request_.told(fmt::format("{} {}, {}", case_.kernel, case_.shape(), what));
  }
  Row row_of(const LibraryLaunch::Config &config) const {
    Row row;
    row.provider = "tile";
    row.config = config.text;
    std::ranges::replace(row.config, ' ', ',');
    return row;
  }
  void leave(const LibraryLaunch::Config &config, Row::Outcome outcome, const std::string &reason) {
    Row row = row_of(config);
    row.outcome = outcome;
    row.reason = reason.substr(0, reason.find('\n'));
    case_.rows.push_back(std::move(row));
  }

  // Where a tuner chooses, the first few of its ranking; where none does, what a launch takes.
  std::vector<LibraryLaunch::Config> worth_timing(const std::vector<LibraryLaunch::Config> &all) {
    if (request_.config.kind == ConfigChoice::Kind::all || all.size() == 1)
      return all;
    if (!device_.can_time())
      return {all[0]};
    tell("tuning");
    const tuning::Sweep sweep = sets_[0]->tune({.force = true});
    std::vector<const tuning::Record *> ranked{&sweep.records[sweep.winner]};
    if (sweep.not_timed.empty())
      for (const tuning::Record &record : sweep.records)
        if (record.outcome == tuning::Record::Outcome::timed && !record.stopped_early && &record != ranked[0])
          ranked.push_back(&record);
    std::ranges::sort(ranked.begin() + 1, ranked.end(), {}, &tuning::Record::median);
    ranked.resize(std::min(ranked.size(), finalists));
    std::vector<LibraryLaunch::Config> first;
    for (const tuning::Record *record : ranked)
      first.push_back(*std::ranges::find(all, record->config, &LibraryLaunch::Config::text));
    return first;
  }

  bool is_right(const LibraryLaunch::Config &config) {
    if (stopped())
      return false;
    tell("checking");
    try {
      if (request_.reference == "none") {
        case_.checked = "not compared with anything";
        return true;
      }
      const Checked checked = checked_own(device_, entry_, settings_, config.how, request_.reference);
      case_.checked = "compared with what the interpreter computes: " + checked.what;
      errors_[config.place] = checked.verdict.largest_error;
      if (checked.verdict.passed())
        return true;
      leave(config, Row::Outcome::wrong,
            fmt::format("{} of {} elements are wrong: {}", checked.verdict.wrong, checked.verdict.elements,
                        checked.verdict.first_wrong));
    } catch (const Error &error) {
      leave(config, Row::Outcome::failed,
            "it cannot be compared with the interpreter; give other sizes, or none, by --reference: " +
                error.message());
    }
    return false;
  }

  // Arrays that are larger than the cache together, at other addresses.
  void make_sets() {
    const double bytes = sets_[0]->bytes();
    const bool rotates = request_.cache == Cache::rotating && machine_.cache_bytes > 0 && bytes > 0;
    constexpr double usable = 0.9, most_sets = 4096;
    double wanted =
        rotates ? std::max(std::ceil(times_cache * static_cast<double>(machine_.cache_bytes) / bytes), 2.0)
                : 1;
    if (machine_.memory_bytes > 0)
      wanted = std::min(wanted, std::floor(usable * static_cast<double>(machine_.memory_bytes) / bytes));
    for (int set = 1; set < static_cast<int>(std::min(wanted, most_sets)); ++set)
      sets_.push_back(
          std::make_unique<LibraryLaunch>(kernel_, device_, settings_, std::nullopt, sets_[0].get()));
    case_.sets = static_cast<int>(sets_.size());
    case_.input_bytes = bytes * case_.sets;
  }

  // Throws what compiling it throws.
  Call call_of(const LibraryLaunch::Config &config) {
    std::vector<std::function<void()>> launches;
    for (const std::unique_ptr<LibraryLaunch> &set : sets_)
      launches.push_back(set->bound(config));
    return [launches = std::move(launches)](int set) { launches[static_cast<std::size_t>(set)](); };
  }
  Options options(int rounds) const {
    return {.cache = request_.cache, .sets = case_.sets, .rounds = rounds, .stop = request_.stop};
  }

  LibraryLaunch::Config best(const std::vector<LibraryLaunch::Config> &configs) {
    tell("finalists");
    std::vector<Call> calls;
    for (const LibraryLaunch::Config &config : configs)
      calls.push_back(call_of(config));
    const std::vector<Timing> timings = compare(device_, calls, options(semifinal_rounds));
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < configs.size(); ++i)
      if (!timings[i].samples.empty() && (timings[fastest].samples.empty() ||
                                          times_as_long(timings[i].samples, timings[fastest].samples) < 1))
        fastest = i;
    return configs[fastest];
  }

  void measure(const std::vector<LibraryLaunch::Config> &configs) {
    tell("measuring");
    std::vector<Call> calls;
    std::vector<Row> rows;
    for (const LibraryLaunch::Config &config : configs)
      try {
        calls.push_back(call_of(config));
        Row &row = rows.emplace_back(row_of(config));
        row.resources = sets_[0]->resources(config);
        if (const auto error = errors_.find(config.place); error != errors_.end())
          row.error = error->second;
      } catch (const Error &error) {
        leave(config, Row::Outcome::failed, error.message());
      }
    std::vector<Timing> timings;
    if (stopwatch_) {
      Options how = options(request_.rounds);
      how.told = [&](int done, int rounds) {
        if (done == (rounds + 1) / 2)
          case_.state = stopwatch_->telemetry();
      };
      timings = compare(device_, calls, how);
    } else {
      for (const Call &call : calls)
        timings.push_back(timed_here(device_, [&] { call(0); }, request_));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!timings[i].failure.empty()) {
        rows[i].outcome = Row::Outcome::failed;
        rows[i].reason = timings[i].failure.substr(0, timings[i].failure.find('\n'));
      } else if (timings[i].samples.empty()) {   // it was stopped before
        continue;
      }
      rows[i].timing = std::move(timings[i]);
      case_.rows.push_back(std::move(rows[i]));
    }
  }

  Device &device_;
  Stopwatch *stopwatch_;
  const Machine &machine_;
  const Request &request_;
  const registry::Entry &entry_;
  const registry::LibraryKernel &kernel_;
  registry::Settings settings_;
  Case &case_;
  std::vector<std::unique_ptr<LibraryLaunch>> sets_;
  std::map<std::size_t, double> errors_;   // by the place of a config
};

}   // namespace

Checked checked_own(Device &device, const registry::Entry &kernel, const registry::Settings &settings,
                    const std::optional<registry::LibraryKernel::Config> &config,
                    const std::string &reference) {
  const registry::Settings small = reference.empty() ? registry::lowered_sizes(kernel, settings)
                                                     : registry::with_sizes(kernel, settings, reference);
  Checked checked{.verdict =
                      registry::compare_with_interpreter(*kernel.library_kernel, device, small, config)};
  std::string sizes;
  for (const registry::Parameter &p : kernel.parameters)
    if (p.form != registry::Parameter::Form::number && p.choices.empty() &&
        (p.form == registry::Parameter::Form::count || small.choice(p.name) != settings.choice(p.name)))
      sizes += fmt::format("{}{}={}", sizes.empty() ? " at " : " ", p.name, small.choice(p.name));
  checked.what = fmt::format("{} elements{}", checked.verdict.elements, sizes);
  return checked;
}

void measure_own(Device &device, Stopwatch *stopwatch, const Machine &machine, const Request &request,
                 const Wanted &wanted, Case &to) {
  OwnRun(device, stopwatch, machine, request, wanted, to).run();
}

}   // namespace tile::bench
