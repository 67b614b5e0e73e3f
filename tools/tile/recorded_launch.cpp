// SPDX-License-Identifier: MIT
#include "tools/tile/recorded_launch.h"

#include "compiler/api/compile.h"
#include "compiler/devices/simulator.h"
#include "runtime/assembler.h"
#include "runtime/assembler_log.h"
#include "runtime/default_target.h"
#include "runtime/simulator/simulation.h"
#include "tools/bench/data.h"
#include "tools/tile/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tile::tool {
namespace {

using simulator::ClusterRecord;
using simulator::Recording;

// `clusters`: that the GPU runs at the same time, of kernels that loop over their programs.
std::unique_ptr<Device> recording_device(std::vector<std::int64_t> ctas, std::int64_t clusters,
                                         const timeline::GpuModel &model) {
  SimulatorOptions options;
  options.recorded_ctas = std::move(ctas);
  options.resident_clusters = clusters;
  options.machine = model.machine;
  options.limit_seconds = 600;
  // What a GPU does not compute takes no time.
  options.check_overflow = options.check_asserts = false;
  return open_simulator(options);
}

double loaded_bytes(const ClusterRecord &cluster) {
  double bytes = 0;
  for (const simulator::WarpRecord &warp : cluster.warps)
    for (const simulator::Step &step : warp.steps) {
      using enum simulator::Act;
      if (step.act == load)
        bytes += step.amount;
      else if (step.act == globalLoad || step.act == copy)
        bytes += 32.0 * step.amount;
    }
  return bytes;
}

// The share of the loaded bytes that come from memory: each byte of the operands once.
double miss_share(const registry::Entry &kernel, const registry::Settings &settings, double loaded) {
  if (!kernel.problem || loaded <= 0)
    return 1;
  double bytes = 0;
  for (const registry::Operand &operand : kernel.problem(settings).operands)
    if (!operand.is_output)
      bytes += operand.bytes();
  return std::min(1.0, bytes / loaded);
}

// As `tile bench` launches it; a kernel of a library, as `tile run` does.
void launch_once(const registry::Entry &kernel, Device &device, const registry::Settings &settings) {
  if (!kernel.problem) {
    static_cast<void>(kernel.run(device, settings));
    return;
  }
  const registry::Problem problem = kernel.problem(settings);
  const bench::Data data(device, problem, 0, 0, settings.seed);
  problem.bind(device, data.operands(0))();
  device.synchronize();
}

class Recorded {
 public:
  Recorded(const registry::Entry &kernel, const registry::Settings &settings, std::int64_t cta,
           const timeline::GpuModel &model)
      : kernel_(kernel), settings_(settings), cta_(cta), model_(model) {
    settings_.verify = false;   // the other CTAs write nothing
  }

  RecordedLaunches run(std::int64_t samples) {
    // The first CTA of the grid says how many there are.
    std::vector<Recording> recordings = record({0}, model_.machine.multiprocessors);
    // A kernel that loops over its programs starts as many clusters as fit, which its code says.
    std::int64_t fit = model_.machine.multiprocessors;
    for (const Recording &recording : recordings)
      if (const simulator::Program &program = *recording.program; program.persistent)
        fit = std::max<std::int64_t>(std::int64_t{model_.machine.multiprocessors} *
                                         completed(recording).resident.ctas / program.ctas(),
                                     1);
    if (fit != model_.machine.multiprocessors)
      recordings = record({0}, fit);
    if (std::vector<std::int64_t> ctas = sampled(recordings, samples); ctas.size() > 1 || cta_ != 0)
      recordings = record(std::move(ctas), fit);
    if (std::ranges::none_of(recordings,
                             [&](const Recording &recording) { return cta_ < ctas_of(recording.started); }))
      throw BadUsage(fmt::format("there is no CTA {}: the launch starts fewer", cta_));
    RecordedLaunches launches{.failure = failure_};
    for (Recording &recording : recordings)
      if (cta_ < ctas_of(recording.started)) {
        std::ranges::sort(recording.clusters, {}, [&](const ClusterRecord &cluster) {
          return std::pair(!has(cluster, recording.started), cluster.index);
        });
        launches.kernels.push_back(completed(std::move(recording)));
      }
    return launches;
  }

 private:
  std::vector<Recording> record(std::vector<std::int64_t> ctas, std::int64_t clusters) {
    const std::unique_ptr<Device> device = recording_device(std::move(ctas), clusters, model_);
    failure_.reset();
    try {
      launch_once(kernel_, *device, settings_);
    } catch (const Error &error) {
      if (simulator::simulationOf(*device).recordings.empty())
        throw;
      failure_ = error;
    }
    return simulator::simulationOf(*device).recordings;
  }
  // Of the largest grid. They lie at multiples of the golden ratio: equal steps would meet CTAs that do the
  // same, such as the first rows of each head.
  std::vector<std::int64_t> sampled(const std::vector<Recording> &recordings, std::int64_t samples) const {
    std::int64_t all = 0;
    for (const Recording &recording : recordings)
      all = std::max(all, ctas_of(recording.started));
    std::vector<std::int64_t> ctas{cta_};
    for (std::int64_t i = 1; i <= std::min(samples, all - 1); ++i)
      ctas.push_back(static_cast<std::int64_t>(static_cast<double>(all) *
                                               std::fmod(0.6180339887 * static_cast<double>(i), 1.0)));
    return ctas;
  }
  bool has(const ClusterRecord &cluster, const Grid &grid) const {
    return std::ranges::any_of(
        cluster.ctas, [&](const auto &id) { return (id[2] * grid.y + id[1]) * grid.x + id[0] == cta_; });
  }
  RecordedLaunch completed(Recording recording) {
    const simulator::Program &program = *recording.program;
    const std::string log = assembler_log(program);
    const Target target = *Target::parse(program.target.substr(0, program.target.find('-')));
    RecordedLaunch launch{.recording = std::move(recording),
                          .resident =
                              occupancy(target, program.threads, program.shared_bytes, registers_used(log)),
                          .spilled_bytes = log.empty() ? std::nullopt : spill_bytes(log)};
    const std::int64_t ctas = ctas_of(launch.recording.started);
    const double clusters = static_cast<double>(ctas) / static_cast<double>(launch.cluster().ctas.size());
    launch.launch = {.ctas = ctas,
                     .resident_ctas = launch.resident.ctas,
                     .miss_share = miss_share(kernel_, settings_, loaded_bytes(launch.cluster()) * clusters)};
    return launch;
  }
  // What the assembler says of the kernel as it was launched. Empty without an assembler, and of kernels that
  // run beside the one that was asked for.
  const std::string &assembler_log(const simulator::Program &program) {
    const auto [log, is_new] = logs_.try_emplace(program.name + program.config);
    const std::optional<Assembler> assembler = find_assembler();
    if (is_new && assembler && program.name == kernel_.name) {
      registry::Settings settings = settings_;
      settings.config = as_setting(program.config);
      const Target target = *Target::parse(std::string(default_target));
      const LoweredKernel lowered = compile(kernel_.trace(settings, true), target);
      log->second = assemble(*assembler, lowered.text(), target.name(), kernel_.name).log;
    }
    return log->second;
  }

  const registry::Entry &kernel_;
  registry::Settings settings_;
  const std::int64_t cta_;
  const timeline::GpuModel &model_;
  std::map<std::string, std::string> logs_;
  std::optional<Error> failure_;   // of the last launch
};

}   // namespace

std::int64_t ctas_of(const Grid &grid) { return grid.x * grid.y * grid.z; }

// Zeros are what fields without a value have.
std::string as_setting(const std::string &config) {
  std::string text;
  for (std::size_t begin = 0; begin < config.size();) {
    const std::size_t end = std::min(config.find(' ', begin), config.size());
    const std::string field = config.substr(begin, end - begin);
    if (!field.ends_with("=0"))
      text += (text.empty() ? "" : ",") + field;
    begin = end + 1;
  }
  return text;
}

RecordedLaunches record_launch(const registry::Entry &kernel, const registry::Settings &settings,
                               std::int64_t cta, std::int64_t samples, const timeline::GpuModel &model) {
  return Recorded(kernel, settings, cta, model).run(samples);
}

}   // namespace tile::tool
