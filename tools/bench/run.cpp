// SPDX-License-Identifier: MIT
// A case goes through three measurements, each on fresh samples: who wins a noisy race is not faster for it.
//
//   1. every candidate of a provider, a little: the first few go on
//   2. these, checked against float64, of all providers in turn: one of each goes on
//   3. these in turn: what is reported
#include "tools/bench/run.h"

#include "runtime/bench/samples.h"
#include "runtime/simulator/simulator_options.h"
#include "tools/bench/check.h"
#include "tools/bench/own_kernels.h"
#include "tools/bench/roofline.h"
#include "tools/bench/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>

namespace tile::bench {
namespace {

constexpr std::size_t finalists = 3;
const Options screening{.rounds = 3, .sample_seconds = 5e-4, .most_calls = 32, .settle_seconds = 0};
constexpr int semifinal_rounds = 9;
constexpr double semifinal_settle_seconds = 0.5;

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

class Skipped : public std::runtime_error {   // a shape that this device cannot hold
 public:
  using std::runtime_error::runtime_error;
};

Data data_for(Device &device, const registry::Problem &problem, double least_bytes, const Machine &machine,
              std::uint64_t seed) {
  try {
    return Data(device, problem, least_bytes, machine.memory_bytes, seed);
  } catch (const Error &error) {
    throw Skipped(first_line(error.message()));
  } catch (const std::bad_alloc &) {
    throw Skipped("there is not enough memory");
  }
}

// A candidate that is still in the race.
struct Runner {
  std::size_t provider;
  Candidate candidate;
  double error = -1;
};

class CaseRun {
 public:
  CaseRun(Device &device, Stopwatch &stopwatch, const Machine &machine,
          std::span<const std::unique_ptr<Provider>> providers, const Request &request, const Wanted &wanted,
          Case &to)
      : device_(device), stopwatch_(stopwatch), machine_(machine), providers_(providers), request_(request),
        wanted_(wanted), case_(to), problem_(wanted.kernel->problem(wanted.settings)),
        other_(other_layout(wanted)) {}

  void run() {
    case_.work = problem_.work;
    const auto input = std::ranges::find(problem_.operands, false, &registry::Operand::is_output);
    if (input == problem_.operands.end())
      throw Skipped("there is nothing to do");
    const Roof least = roof(machine_, problem_.work, input->type, problem_.multiplies_tf32);
    case_.roof_seconds = least.seconds;
    case_.is_memory_bound = least.is_memory_bound;
    const double wanted_bytes =
        request_.cache == Cache::rotating ? times_cache * static_cast<double>(machine_.cache_bytes) : 0;
    data_.emplace(data_for(device_, problem_, wanted_bytes, machine_, wanted_.settings.seed));
    case_.sets = data_->sets();
    case_.input_bytes = data_->input_bytes();
    const Job job{
        device_, stopwatch_, *wanted_.kernel, wanted_.settings, problem_, other_ ? &*other_ : nullptr,
        *data_};
    std::vector<Runner> runners;
    for (std::size_t i = 0; i < providers_.size() && !stopped(); ++i)
      for (Runner &runner : chosen(i, job))
        runners.push_back(std::move(runner));
    runners = semifinal(std::move(runners));
    final(runners);
  }

 private:
  bool stopped() const { return request_.stop && request_.stop(); }
  void tell(const std::string &what) const {
    if (request_.told)
      request_.told(fmt::format("{} {}, {}", case_.kernel, case_.shape(), what));
  }

  static std::optional<registry::Problem> other_layout(const Wanted &wanted) {
    if (!wanted.settings.has("trans"))
      return {};
    registry::Settings settings = wanted.settings;
    std::string trans = settings.choice("trans");
    trans[1] = trans[1] == 'n' ? 't' : 'n';
    settings.set("trans", trans);
    return wanted.kernel->problem(settings);
  }

  void leave(std::size_t provider, const std::string &config, Row::Outcome outcome,
             const std::string &reason) {
    Row row;
    row.provider = providers_[provider]->name();
    row.config = config;
    row.outcome = outcome;
    row.reason = first_line(reason);
    case_.rows.push_back(std::move(row));
  }

  Options options(int rounds, double settle) const {
    Options o;
    o.cache = request_.cache;
    o.sets = data_->sets();
    o.rounds = rounds;
    o.settle_seconds = settle;
    o.stop = request_.stop;
    return o;
  }

  // The candidates of a provider that are worth more time: the fastest few whose results are right.
  std::vector<Runner> chosen(std::size_t provider, const Job &job) {
    tell(providers_[provider]->name());
    std::vector<Candidate> all;
    try {
      all = providers_[provider]->candidates(job);
    } catch (const Cannot &why) {
      leave(provider, "", Row::Outcome::left_out, why.what());
      return {};
    } catch (const Error &error) {
      leave(provider, "", Row::Outcome::failed, error.message());
      return {};
    }
    // Every config of ours is asked for by name: then each has its row, whatever it takes.
    const bool each = provider == 0 && request_.config.kind == ConfigChoice::Kind::all;
    std::vector<std::size_t> order = ranked(provider, all, each);
    std::vector<Runner> good;
    for (const std::size_t i : order) {
      if (stopped() || (!each && good.size() == finalists))
        break;
      Runner runner{provider, all[i]};
      if (is_right(runner))
        good.push_back(std::move(runner));
    }
    return good;
  }

  std::vector<std::size_t> ranked(std::size_t provider, const std::vector<Candidate> &all, bool each) {
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    if (all.size() <= finalists || each)
      return order;
    // Each begins at another set, so that none finds its data where the one before has left it.
    std::vector<Call> calls;
    for (std::size_t i = 0; i < all.size(); ++i)
      calls.emplace_back([&all, i, sets = data_->sets()](int n) {
        const int begin = static_cast<int>(i) * screening.most_calls;
        all[i].call((begin + n) % sets);
      });
    Options little = screening;
    little.cache = request_.cache;
    little.sets = std::min(data_->sets(), screening.most_calls);
    little.stop = request_.stop;
    const std::vector<Timing> timings = compare(device_, calls, little);
    const auto rank = [&](std::size_t i) {
      const bool failed = timings[i].samples.empty();
      return std::pair(failed ? std::numeric_limits<double>::infinity() : timings[i].median, i);
    };
    std::ranges::sort(order, {}, rank);
    const auto none = std::ranges::find_if(order, [&](std::size_t i) { return timings[i].samples.empty(); });
    if (none == order.begin() && !stopped())
      leave(provider, "", Row::Outcome::failed, timings[order[0]].failure);
    order.erase(none, order.end());
    return order;
  }

  // Whether what it computes is right; a wrong one has its row.
  bool is_right(Runner &runner) {
    const Candidate &candidate = runner.candidate;
    if (!candidate.computes)
      return true;
    const registry::Problem &problem = candidate.problem ? *candidate.problem : problem_;
    try {
      if (!checkers_.contains(&problem))
        checkers_.emplace(std::piecewise_construct, std::tuple(&problem), std::tie(device_, problem, *data_));
      const reference::Verdict verdict =
          checkers_.at(&problem).check([&] { stopwatch_.with_context([&] { candidate.call(0); }); });
      runner.error = verdict.largest_error;
      if (verdict.passed())
        return true;
      leave(runner.provider, candidate.config, Row::Outcome::wrong,
            fmt::format("{} of {} elements are wrong: {}", verdict.wrong, verdict.elements,
                        verdict.first_wrong));
    } catch (const Error &error) {
      leave(runner.provider, candidate.config, Row::Outcome::failed, error.message());
    }
    return false;
  }

  std::vector<Timing> timed(const std::vector<Runner> &runners, const Options &how) {
    std::vector<Call> calls;
    for (const Runner &runner : runners)
      calls.push_back(runner.candidate.call);
    return compare(device_, calls, how);
  }

  // The best of each provider that has several.
  std::vector<Runner> semifinal(std::vector<Runner> runners) {
    if (request_.config.kind == ConfigChoice::Kind::all)
      return runners;
    const bool needed = std::ranges::adjacent_find(runners, {}, &Runner::provider) != runners.end();
    if (!needed || stopped())
      return runners;
    tell("finalists");
    const std::vector<Timing> timings = timed(runners, options(semifinal_rounds, semifinal_settle_seconds));
    std::map<std::size_t, std::size_t> best;   // by provider
    for (std::size_t i = 0; i < runners.size(); ++i) {
      if (!timings[i].failure.empty())
        leave(runners[i].provider, runners[i].candidate.config, Row::Outcome::failed, timings[i].failure);
      if (timings[i].samples.empty())
        continue;
      const auto [at, is_first] = best.try_emplace(runners[i].provider, i);
      if (!is_first && times_as_long(timings[i].samples, timings[at->second].samples) < 1)
        at->second = i;
    }
    std::vector<Runner> winners;
    for (const auto &[provider, i] : best)
      winners.push_back(std::move(runners[i]));
    return winners;
  }

  void final(const std::vector<Runner> &runners) {
    if (runners.empty() || stopped())
      return;
    tell("measuring");
    Options how = options(request_.rounds, Options().settle_seconds);
    how.told = [&](int done, int rounds) {
      if (done == (rounds + 1) / 2)
        case_.state = stopwatch_.telemetry();
    };
    std::vector<Timing> timings = timed(runners, how);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Row row;
      row.provider = providers_[runners[i].provider]->name();
      row.config = runners[i].candidate.config;
      row.error = runners[i].error;
      if (!timings[i].failure.empty()) {
        row.outcome = Row::Outcome::failed;
        row.reason = first_line(timings[i].failure);
      } else if (timings[i].samples.empty()) {   // it was stopped before
        continue;
      }
      row.timing = std::move(timings[i]);
      case_.rows.push_back(std::move(row));
    }
  }

  Device &device_;
  Stopwatch &stopwatch_;
  const Machine &machine_;
  std::span<const std::unique_ptr<Provider>> providers_;
  const Request &request_;
  const Wanted &wanted_;
  Case &case_;
  const registry::Problem problem_;
  const std::optional<registry::Problem> other_;
  std::optional<Data> data_;
  std::map<const registry::Problem *, Checker> checkers_;
};

// What runs where there is no clock: one launch, checked, with what the simulator counts.
void count(Device &device, const Request &request, const Wanted &wanted, Case &to) {
  registry::Settings settings = wanted.settings;
  if (request.config.kind == ConfigChoice::Kind::given)
    settings.config = request.config.config;
  const registry::Problem problem = wanted.kernel->problem(settings);
  to.work = problem.work;
  Data data = data_for(device, problem, 0, {}, settings.seed);
  to.input_bytes = data.input_bytes();
  const SimulatorTotals before = simulator_totals(device);
  Checker checker(device, problem, data);
  const reference::Verdict verdict = checker.check(problem.bind(device, data.operands(0)));
  const SimulatorTotals after = simulator_totals(device);
  Row row;
  row.provider = "tile";
  row.config = settings.config.empty() ? "the first that fits" : settings.config;
  row.error = verdict.largest_error;
  if (!verdict.passed()) {
    row.outcome = Row::Outcome::wrong;
    row.reason =
        fmt::format("{} of {} elements are wrong: {}", verdict.wrong, verdict.elements, verdict.first_wrong);
  }
  to.rows.push_back(row);
  const auto grown = [&](std::uint64_t SimulatorTotals::*what) { return after.*what - before.*what; };
  if (after.global_instructions > before.global_instructions)
    to.counts = Case::Counts{
        grown(&SimulatorTotals::global_instructions), grown(&SimulatorTotals::sectors),
        grown(&SimulatorTotals::least_sectors),       grown(&SimulatorTotals::shared_instructions),
        grown(&SimulatorTotals::wavefronts),          grown(&SimulatorTotals::least_wavefronts),
        grown(&SimulatorTotals::matrix_instructions)};
}

Case case_of(const Wanted &wanted) {
  Case at;
  at.kernel = wanted.kernel->name;
  for (const registry::Parameter &p : wanted.kernel->parameters) {
    const std::string &value = wanted.settings.choice(p.name);
    const bool is_size =
        p.choices.empty() && (!wanted.kernel->is_of_library() || p.form == registry::Parameter::Form::count);
    (is_size ? at.sizes : at.choices).emplace_back(p.name, value);
    if (!p.choices.empty() && value != p.fallback)
      at.unusual.emplace_back(p.name, value);
  }
  return at;
}

// Ours first, then the others in the order in which they were asked for.
void put_in_order(std::vector<Row> &rows, const std::vector<std::string> &providers) {
  std::vector<Row> ordered;
  for (const std::string &provider : providers)
    for (Row &row : rows)
      if (row.provider == provider)
        ordered.push_back(std::move(row));
  rows = std::move(ordered);   // every row has one of these providers
}

void add_figures(const Request &request, Report &report, Case &at) {
  for (const PeerFile &file : request.files)
    for (const PeerFigure &figure : figures_for(file, at)) {
      Row row;
      // Who is measured now, too, is another one.
      const bool is_here = std::ranges::find(request.peers, figure.provider) != request.peers.end();
      row.provider = figure.provider + (is_here ? " before" : "");
      row.config = figure.config;
      row.timing.median = figure.seconds;
      row.timing.spread = figure.spread;
      row.is_measured_here = false;
      if (std::ranges::find(report.providers, row.provider) == report.providers.end())
        report.providers.push_back(row.provider);
      at.rows.push_back(std::move(row));
    }
}

std::vector<std::unique_ptr<Provider>> providers_of(Device &device, Stopwatch &stopwatch,
                                                    const Request &request, Report &report) {
  std::vector<std::unique_ptr<Provider>> providers;
  providers.push_back(make_kernels(request.config));
  for (const std::string &name : request.peers)
    try {
      providers.push_back(make_peer(name, device, stopwatch));
      if (const std::string version = providers.back()->version(); !version.empty())
        report.versions.push_back(version);
    } catch (const Error &error) {
      report.notes.push_back(fmt::format("{} is not compared with: {}", name, error.message()));
    }
  for (const auto &provider : providers)
    report.providers.push_back(provider->name());
  return providers;
}

}   // namespace

Report measure(Device &device, const Request &request) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  report.device = device.description();
  report.how.cache = request.cache;
  report.how.rounds = request.rounds;
  report.is_of_library = !request.wanted.empty() && request.wanted[0].kernel->is_of_library();
  report.has_clock = device.can_time() || report.is_of_library;
  std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  std::vector<std::unique_ptr<Provider>> providers;
  if (stopwatch) {
    report.machine = stopwatch->machine();
    report.driver = report.machine.driver;
    providers = providers_of(device, *stopwatch, request, report);
  } else if (report.is_of_library) {
    report.providers = {"tile"};
    report.notes.push_back(fmt::format(
        "the {} has no clock: each time is of one launch, by the clock of this machine", device.kind()));
  } else {
    report.providers = {"tile"};
    report.notes.push_back(
        fmt::format("the {} has no clock: the work of its programs is counted, not timed{}", device.kind(),
                    request.peers.empty() ? "" : ", and there is nothing to compare with"));
    simulator_count_accesses(device);
  }
  for (const Wanted &wanted : request.wanted) {
    if (request.stop && request.stop())
      break;
    Case &at = report.cases.emplace_back(case_of(wanted));
    if (request.told)
      request.told(fmt::format("{} {}", at.kernel, at.shape()));
    try {
      if (wanted.kernel->is_of_library())
        measure_own(device, stopwatch.get(), report.machine, request, wanted, at);
      else if (stopwatch)
        CaseRun(device, *stopwatch, report.machine, providers, request, wanted, at).run();
      else
        count(device, request, wanted, at);
    } catch (const registry::BadSetting &) {
      throw;   // the same for all shapes
    } catch (const Skipped &why) {
      at.skipped = why.what();
    } catch (const std::bad_alloc &) {
      at.skipped = "there is not enough memory for the float64 reference";
    } catch (const Error &error) {
      Row row;
      row.provider = "tile";
      row.outcome = Row::Outcome::failed;
      row.reason = first_line(error.message());
      at.rows.push_back(std::move(row));
    }
    if (stopwatch)
      add_figures(request, report, at);
    put_in_order(at.rows, report.providers);
  }
  report.interrupted = request.stop && request.stop();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}   // namespace tile::bench
