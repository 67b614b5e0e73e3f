// SPDX-License-Identifier: MIT
#include "tools/tile/tune_on_simulator.h"

#include "runtime/cores.h"
#include "runtime/progress.h"
#include "tools/tile/recorded_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

namespace tile::tool {
namespace {

using tuning::Record;
using tuning::Sweep;
using Outcome = Record::Outcome;
using Clock = std::chrono::steady_clock;

// As a sweep that measures does.
void leave_out(Sweep &sweep, int at_most) {
  std::vector<Record *> open;
  for (Record &record : sweep.records)
    if (record.outcome == Outcome::open)
      open.push_back(&record);
  std::ranges::stable_sort(open, {}, &Record::expected);
  for (std::size_t i = 1; i < open.size(); ++i) {
    if (at_most > 0 && i >= static_cast<std::size_t>(at_most))
      open[i]->reason = "others are expected to be faster";
    else if (std::isinf(open[i]->expected))
      open[i]->reason = "its cost is infinite";
    if (!open[i]->reason.empty())
      open[i]->outcome = Outcome::left_out;
  }
}

// Predicts configs, several at a time: the lowering of one keeps one core busy.
class Predicting {
 public:
  Predicting(const registry::Entry &kernel, const registry::Settings &settings, double limit)
      : kernel_(kernel), settings_(settings), limit_(limit) {}

  void run(Sweep &sweep) {
    std::vector<Record *> open;
    for (Record &record : sweep.records)
      if (record.outcome == Outcome::open)
        open.push_back(&record);
    Progress progress("predict " + sweep.kernel);
    std::atomic<std::size_t> next = 0;
    std::size_t done = 0;
    std::mutex mutex;
    const auto work = [&] {
      for (std::size_t i = next++; i < open.size(); i = next++) {
        predict(*open[i]);
        const std::lock_guard lock(mutex);
        progress.set(fmt::format("{} of {} configs", ++done, open.size()));
      }
    };
    std::vector<std::jthread> workers;
    for (int i = 1; i < usable_cores(); ++i)
      workers.emplace_back(work);
    work();
    workers.clear();   // waits for them
    sweep.seconds = seconds_since_begin();
  }

 private:
  double seconds_since_begin() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  void predict(Record &record) const {
    if (limit_ > 0 && seconds_since_begin() > limit_) {
      record.outcome = Outcome::left_out;
      record.reason = "the time was over";
      return;
    }
    registry::Settings settings = settings_;
    settings.config = as_setting(record.config);
    try {
      const RecordedLaunches recorded = record_launch(kernel_, settings, 0, usual_samples, model_);
      if (recorded.failure)
        throw Error(*recorded.failure);
      for (const RecordedLaunch &launch : recorded.kernels) {
        record.median +=
            replay_launch(launch.program(), launch.recording.clusters, model_, launch.launch).second.seconds;
        if (launch.program().name == kernel_.name)
          take_resources(record, launch);
      }
      record.outcome = Outcome::timed;
      record.samples = 1;
    } catch (const std::exception &failure) {
      record.outcome = Outcome::failed;
      record.reason = failure.what();
      record.reason = record.reason.substr(0, record.reason.find('\n'));
    }
  }
  static void take_resources(Record &record, const RecordedLaunch &launch) {
    record.registers = launch.registers.value_or(-1);
    record.spill_bytes = launch.spilled_bytes.value_or(-1);
    record.shared_bytes = static_cast<int>(launch.program().shared_bytes);
  }

  const registry::Entry &kernel_;
  const registry::Settings settings_;
  const double limit_;
  const timeline::GpuModel model_;
  const Clock::time_point begin_ = Clock::now();
};

}   // namespace

Sweep tune_on_simulator(const registry::Entry &kernel, const registry::Settings &settings,
                        const tuning::Options &options) {
  Sweep sweep = untimed_sweep(kernel, settings, timeline::GpuModel{});
  if (sweep.kernel != kernel.name)
    throw Error(fmt::format("{} leaves such operands to the kernel {}", kernel.name, sweep.kernel), {})
        .add_help("predict the configs of that kernel: tile tune " + sweep.kernel + " --device simulator");
  sweep.is_predicted = true;
  sweep.not_timed.clear();
  leave_out(sweep, options.at_most);
  Predicting(kernel, settings, options.seconds).run(sweep);
  const auto is_better = [](const Record &a, const Record &b) {
    return std::pair(a.outcome != Outcome::timed, a.median) <
           std::pair(b.outcome != Outcome::timed, b.median);
  };
  sweep.winner =
      static_cast<std::size_t>(std::ranges::min_element(sweep.records, is_better) - sweep.records.begin());
  if (sweep.records[sweep.winner].outcome != Outcome::timed) {
    const auto failed = std::ranges::find(sweep.records, Outcome::failed, &Record::outcome);
    throw Error(fmt::format("no config of {} could be predicted{}", kernel.name,
                            failed == sweep.records.end()
                                ? std::string(": the time was over")
                                : fmt::format("; {}: {}", failed->config, failed->reason)),
                {});
  }
  return sweep;
}

}   // namespace tile::tool
