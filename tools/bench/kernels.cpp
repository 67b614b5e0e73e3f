// SPDX-License-Identifier: MIT
// The tuner tells how its configs rank; the first few of them are measured again by the bench.
#include "tools/bench/kernels.h"

#include "runtime/tuning/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tile::bench {
namespace {

constexpr std::size_t most_finalists = 3;

class Collector : public tuning::Observer {
 public:
  void finished(const tuning::Sweep &sweep) override { sweeps.push_back(sweep); }
  std::vector<tuning::Sweep> sweeps;
};

// Bound to every set when it is first called: what it allocates there is not measured.
std::function<void(int)> bound(Device &device, const registry::Problem &problem, const Data &data) {
  std::vector<registry::Problem::Launch> launches;
  for (int set = 0; set < data.sets(); ++set)
    launches.push_back(problem.bind(device, data.operands(set)));
  return [launches = std::move(launches)](int set) { launches[static_cast<std::size_t>(set)](); };
}

std::string shown(const std::string &option) { return option.empty() ? "default" : option; }

class Kernels final : public Provider {
 public:
  explicit Kernels(ConfigChoice choice) : choice_(std::move(choice)) {}
  std::string name() const override { return "tile"; }

  std::vector<Candidate> candidates(const Job &job) override {
    switch (choice_.kind) {
    case ConfigChoice::Kind::given:
      return {with_config(job, choice_.config)};
    case ConfigChoice::Kind::all: {
      std::vector<Candidate> all;
      for (const std::string &config : job.kernel.configs(job.settings))
        all.push_back(with_config(job, config));
      return all;
    }
    case ConfigChoice::Kind::tuned:
    case ConfigChoice::Kind::untuned:   // TILE_TUNE=never: the tuner names what a launch takes
      break;
    }
    return tuned(job);
  }

 private:
  static std::vector<Candidate> tuned(const Job &job) {
    const std::vector<tuning::Sweep> sweeps = tuned_anew(job);
    const std::function<void(int)> launch = bound(job.device, job.problem, job.data);
    if (sweeps.empty())
      return {{"its only one", launch}};
    if (sweeps.size() > 1)
      return {{configs_of_several(job, sweeps), launch}};
    const tuning::Sweep &sweep = sweeps.front();
    const std::string winner = sweep.records[sweep.winner].config;
    // Operands that no descriptor takes are another kernel's, whose configs this one does not know.
    if (!sweep.not_timed.empty() || sweep.kernel != job.kernel.name)
      return {
          {sweep.kernel == job.kernel.name ? as_option(job, winner) : sweep.kernel + " " + winner, launch}};
    std::vector<const tuning::Record *> ranked;
    for (const tuning::Record &record : sweep.records)
      if (record.outcome == tuning::Record::Outcome::timed && !record.stopped_early)
        ranked.push_back(&record);
    const auto rank = [&](const tuning::Record *record) {
      return std::pair(record->config != winner, record->median);
    };
    std::ranges::sort(ranked, {}, rank);
    ranked.resize(std::min(ranked.size(), most_finalists));
    std::vector<Candidate> finalists;
    for (const tuning::Record *record : ranked)
      finalists.push_back(with_config(job, as_option(job, record->config)));
    return finalists;
  }

  // Of kernels that one function launches, such as the two of attention's gradients.
  static std::string configs_of_several(const Job &job, std::span<const tuning::Sweep> sweeps) {
    std::string text;
    for (const tuning::Sweep &sweep : sweeps) {
      const std::string config = as_option(job, sweep.records[sweep.winner].config);
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", sweep.kernel, shown(config));
    }
    return text;
  }

  ConfigChoice choice_;
};

}   // namespace

// The longest text of the kernel's list that it contains.
std::string as_option(const Job &job, std::string described) {
  std::ranges::replace(described, ' ', ',');
  const std::string fields = "," + described + ",";
  std::optional<std::string> best;
  for (const std::string &text : job.kernel.configs(job.settings)) {
    bool contains = true;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      contains = contains && fields.contains("," + text.substr(begin, end - begin) + ",");
      begin = end + 1;
    }
    if (contains && (!best || text.size() > best->size()))
      best = text;
  }
  return best.value_or(described);
}

std::string spelled_out(const registry::Entry &kernel, const registry::Settings &settings) {
  std::string config = kernel.trace(settings, /*specialized=*/true).config();
  std::ranges::replace(config, ' ', ',');
  return config;
}

Candidate with_config(const Job &job, const std::string &config) {
  registry::Settings settings = job.settings;
  settings.config = config.empty() ? spelled_out(job.kernel, settings) : config;
  return {shown(config), bound(job.device, job.kernel.problem(settings), job.data)};
}

// A tuner works on copies of the allocations that a launch writes to: here they are no larger than one
// result.
std::vector<tuning::Sweep> tuned_anew(const Job &job, tuning::Options options) {
  const std::span<void *const> operands = job.data.operands(0);
  std::vector<void *> addresses(operands.begin(), operands.end());
  std::vector<Buffer<std::byte>> results;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (const registry::Operand &operand = job.problem.operands[i]; operand.is_output)
      addresses[i] =
          results.emplace_back(job.device, static_cast<std::size_t>(operand.bytes()), "result").data();
  const registry::Problem::Launch launch = job.problem.bind(job.device, addresses);
  Collector collector;
  const tuning::Observing observing(collector);
  options.force = true;
  const tuning::Asking asking(options);
  launch();
  job.device.synchronize();
  return std::move(collector.sweeps);
}

std::unique_ptr<Provider> make_kernels(const ConfigChoice &choice) {
  return std::make_unique<Kernels>(choice);
}

}   // namespace tile::bench
