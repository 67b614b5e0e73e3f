// SPDX-License-Identifier: MIT
#include "tools/tile/measured_trace.h"

#include "compiler/devices/devices.h"
#include "compiler/devices/stamping_device.h"
#include "runtime/bench/samples.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/progress.h"
#include "runtime/timeline/measured.h"
#include "tools/bench/data.h"
#include "tools/tile/command_line.h"
#include "tools/tile/recorded_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace tile::tool {
namespace {

using timeline::Measured;
using timeline::Traced;

// What is launched, as often as wanted; on operands of its own.
class Launches {
 public:
  Launches(const registry::Entry &kernel, const registry::Settings &settings, Device &device) {
    if (kernel.problem) {   // as `tile bench` launches it
      problem_ = kernel.problem(settings);
      data_.emplace(device, problem_, 0, 0, settings.seed);
      launch_ = problem_.bind(device, data_->operands(0));
    } else {
      launch_ = [&] { static_cast<void>(kernel.run(device, settings)); };
    }
  }
  Launches(const Launches &) = delete;
  Launches &operator=(const Launches &) = delete;
  void operator()() const { launch_(); }

 private:
  registry::Problem problem_;
  std::optional<bench::Data> data_;
  std::function<void()> launch_;
};

// Each time, the inputs are in no cache.
std::vector<double> seconds_of(const Launches &launch, Device &device, int calls) {
  constexpr double limit = 60;
  return device.stopwatch()->time([&] { launch(); }, calls, limit);
}
double median_seconds(const Launches &launch, Device &device) {
  constexpr int calls = 15;
  launch();
  device.synchronize();
  return bench::summarise(seconds_of(launch, device, calls)).median;
}

struct Ran {
  std::vector<StampedLaunch> launches;
  std::string cost;   // of the stamps; empty: the kernel is of a library, which allocates for each launch
};

Ran ran_with_stamps(const registry::Entry &kernel, registry::Settings settings,
                    const MeasuredRequest &request, Device &device) {
  Ran ran;
  double stamped = 0;
  {
    const Launches launch(kernel, settings, device);
    if (kernel.problem) {
      begin_stamping(device, Stamping::timed, request.ctas);
      stamped = median_seconds(launch, device);
    } else {
      launch();
      device.synchronize();
    }
    begin_stamping(device, Stamping::read, request.ctas);
    if (kernel.problem)
      static_cast<void>(seconds_of(launch, device, 1));
    else
      launch();
    device.synchronize();
    ran.launches = end_stamping(device);
  }
  if (!kernel.problem)
    return ran;
  // The same config: a launch might take another one while this is compiled.
  for (const StampedLaunch &launch : ran.launches)
    if (launch.code.kernel.name == kernel.name)
      settings.config = as_setting(launch.code.kernel.config);
  const std::unique_ptr<Device> plain = open_device(fmt::format("cuda:{}", request.gpu));
  if (const double seconds = median_seconds(Launches(kernel, settings, *plain), *plain); seconds > 0)
    ran.cost = fmt::format("the launch takes {:.1f} µs with stamps and {:.1f} µs without: {:+.1f}%",
                           stamped * 1e6, seconds * 1e6, 100 * (stamped / seconds - 1));
  return ran;
}

// Of several kernels, the most that one of them starts.
std::int64_t most_started(const std::vector<StampedLaunch> &launches) {
  std::int64_t most = 0;
  for (const StampedLaunch &launch : launches)
    most = std::max(most, ctas_of(launch.started));
  return most;
}

std::string range(const std::vector<timeline::MeasuredCta> &ctas) {
  if (ctas.size() == 1)
    return "no other one was traced";
  const auto [least, most] = std::ranges::minmax(ctas, {}, &timeline::MeasuredCta::seconds);
  return fmt::format("{:.1f} to {:.1f} µs for the {} that were traced", least.seconds * 1e6,
                     most.seconds * 1e6, ctas.size());
}

Facts facts(const StampedLaunch &launch, const Measured &shown, const Measured &all, const Machine &machine,
            const std::string &cost) {
  const auto &id = shown.record.ctas.front();
  const double seconds = shown.ctas.front().seconds;
  return {
      {"config", launch.code.kernel.config},
      {"CTA", fmt::format("({}, {}, {}), of {}; {} warps; on multiprocessor {}", id[0], id[1], id[2],
                          ctas_of(launch.started), launch.code.kernel.threads / 32,
                          shown.ctas.front().multiprocessor)},
      {"GPU", fmt::format("measured on {}, {:.2f} GHz{}", machine.name, all.hertz / 1e9,
                          all.is_clock_known
                              ? ""
                              : " (its highest clock: the launch is too short to tell the real one)")},
      {"time", fmt::format("{:.0f} cycles for the CTA, {:.1f} µs; {}", seconds * shown.hertz, seconds * 1e6,
                           range(all.ctas))},
      {"stamps", fmt::format("{} of {} warps, at least {:.0f} cycles from one to the next{}{}", all.stamps,
                             all.record.warps.size(), all.least_cycles, cost.empty() ? "" : "; ", cost)}};
}

std::vector<std::string> sentences(const Traced &traced, const std::vector<timeline::Role> &roles,
                                   const Measured &all, const StampedLaunch &launch) {
  std::vector<std::string> said;
  if (const int spilled = launch.code.kernel.spill_bytes; spilled > 0)
    said.push_back(
        fmt::format("With stamps, each thread keeps {} bytes in memory for want of registers. `tile "
                    "why` tells what the kernel keeps there without them.",
                    spilled));
  if (all.lost)
    said.push_back(fmt::format("{} stamps are lost: the lists of some warps were full, and their lines end "
                               "there. A smaller problem, "
                               "or larger blocks, write fewer.",
                               all.lost));
  for (std::string &sentence : timeline::advice(traced, roles))
    said.push_back(std::move(sentence));
  return said;
}

// What the simulator predicts for the CTA that is shown, of the kernel as it was launched.
class Prediction {
 public:
  Prediction(RecordedLaunch launch, const timeline::GpuModel &model)
      : launch_(std::move(launch)),
        replayed_(replay_launch(launch_.program(), launch_.recording.clusters, model, launch_.launch)),
        traced_{launch_.program(), launch_.cluster(), replayed_.first, model, replayed_.second.hertz},
        roles_(timeline::roles(launch_.program(), launch_.cluster(), replayed_.first)) {}
  Prediction(const Prediction &) = delete;
  Prediction &operator=(const Prediction &) = delete;
  timeline::Predicted drawn() const { return {traced_, roles_}; }
  std::string time() const {
    return fmt::format("{:.0f} cycles for the CTA, {:.1f} µs; {:.1f} µs for the launch",
                       replayed_.first.cycles, replayed_.first.cycles / traced_.hertz * 1e6,
                       replayed_.second.seconds * 1e6);
  }

 private:
  RecordedLaunch launch_;
  std::pair<timeline::Timeline, timeline::LaunchTime> replayed_;
  Traced traced_;
  std::vector<timeline::Role> roles_;
};

// None where the simulator does not run this launch, as of a kernel that fails there, or takes too long.
std::unique_ptr<Prediction> predicted(const registry::Entry &kernel, registry::Settings settings,
                                      const StampedLaunch &launch, const timeline::GpuModel &model) {
  Progress progress(fmt::format("{} on the simulator", kernel.name));
  if (launch.code.kernel.name == kernel.name)
    settings.config = as_setting(launch.code.kernel.config);
  try {
    for (RecordedLaunch &recorded :
         record_launch(kernel, settings, launch.ctas.front(), usual_samples, model).kernels)
      if (recorded.program().name == launch.code.kernel.name)
        return std::make_unique<Prediction>(std::move(recorded), model);
  } catch (const std::exception &) {   // what was measured is shown without it
  }
  return nullptr;
}

void show_launch(const registry::Entry &kernel, const StampedLaunch &launch, const std::string &cost,
                 const registry::Settings &settings, const Machine &machine, const TraceFiles &files,
                 std::size_t number) {
  const Measured all = timeline::measured(launch, launch.ctas, machine.clock_hertz);
  const unsigned cluster = launch.code.kernel.ctas();   // all CTAs of a cluster are neighbours in the list
  const Measured shown = timeline::measured(
      launch, std::span(launch.ctas).first(std::min<std::size_t>(cluster, launch.ctas.size())),
      machine.clock_hertz);
  const timeline::GpuModel model{.machine = machine};
  const Traced traced{shown.program, shown.record, shown.timeline, model, shown.hertz, true};
  const std::vector<timeline::Role> roles = timeline::roles(shown.program, shown.record, shown.timeline);
  const Traced events{all.program, all.record, all.timeline, model, all.hertz, true};
  const timeline::GpuModel simulated;
  const std::unique_ptr<Prediction> prediction =
      files.page.empty() ? nullptr : predicted(kernel, settings, launch, simulated);
  Facts known = facts(launch, shown, all, machine, cost);
  std::optional<timeline::Predicted> drawn;
  if (prediction) {
    drawn.emplace(prediction->drawn());
    known.emplace_back("model", prediction->time());
  }
  show({.settings = settings.text(),
        .facts = std::move(known),
        .sentences = sentences(traced, roles, all, launch),
        .traced = traced,
        .events = events,
        .roles = roles,
        .predicted = drawn ? &*drawn : nullptr},
       files, number);
}

}   // namespace

void trace_on_gpu(const registry::Entry &kernel, registry::Settings settings, const MeasuredRequest &request,
                  const TraceFiles &files) {
  settings.verify = false;
  const std::unique_ptr<Device> device = [&] {
    try {
      return open_stamping_cuda(request.gpu);
    } catch (Error &error) {
      error.add_help("leave out --device: without a GPU the simulator predicts the timeline");
      throw;
    }
  }();
  const Ran ran = [&] {
    Progress progress(fmt::format("{} on {}", kernel.name, device->machine().name));
    return ran_with_stamps(kernel, settings, request, *device);
  }();
  for (const std::int64_t cta : request.ctas)
    if (std::ranges::none_of(ran.launches, [&](const StampedLaunch &launch) {
          return std::ranges::find(launch.ctas, cta) != launch.ctas.end();
        }))
      throw BadUsage(fmt::format("there is no CTA {}: the launch starts {}, counted from 0", cta,
                                 most_started(ran.launches)));
  std::size_t number = 0;
  for (const StampedLaunch &launch : ran.launches)
    if (!launch.ctas.empty())
      show_launch(kernel, launch, ran.cost, settings, device->machine(), files, number++);
}

}   // namespace tile::tool
