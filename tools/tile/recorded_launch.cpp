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
#include <limits>
#include <map>

namespace tile::tool {
namespace {

using simulator::ClusterRecord;
using simulator::Recording;

// What a launch compiles. By name and config.
using Compiled = std::map<std::pair<std::string, std::string>, KernelIR>;

const KernelIR &kernel_of(const simulator::Program &program, const Compiled &compiled) {
  return compiled.at({program.name, program.config});
}

// `clusters`: that the GPU runs at the same time, of kernels that loop over their programs.
std::unique_ptr<Device> recording_device(std::vector<std::int64_t> ctas, std::int64_t clusters,
                                         const timeline::GpuModel &model, Compiled &compiled) {
  SimulatorOptions options;
  options.compiles = [&compiled](const KernelIR &kernel) {
    compiled.insert_or_assign({kernel.name(), kernel.config()}, kernel);
  };
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
void launch_once(const registry::Entry &kernel, Device &device, registry::Settings settings) {
  settings.verify = false;   // most CTAs write nothing
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
      : kernel_(kernel), settings_(settings), cta_(cta), model_(model) {}

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
    const std::unique_ptr<Device> device = recording_device(std::move(ctas), clusters, model_, compiled_);
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
    const auto &[log, spilled] = assembled(program);
    const Target target = *Target::parse(program.target.substr(0, program.target.find('-')));
    RecordedLaunch launch{.recording = std::move(recording),
                          .resident =
                              occupancy(target, program.threads, program.shared_bytes, registers_used(log)),
                          .registers = registers_used(log),
                          .spilled_bytes = log.empty() ? std::nullopt : spill_bytes(log),
                          .spilled = spilled};
    const std::int64_t ctas = ctas_of(launch.recording.started);
    const double clusters = static_cast<double>(ctas) / static_cast<double>(launch.cluster().ctas.size());
    launch.launch = {.ctas = ctas,
                     .resident_ctas = launch.resident.ctas,
                     .miss_share = miss_share(kernel_, settings_, loaded_bytes(launch.cluster()) * clusters)};
    return launch;
  }
  // What the assembler says of the kernel as it was launched. Empty without an assembler.
  struct Assembled {
    std::string log;
    std::vector<SpilledLine> spilled;
  };
  const Assembled &assembled(const simulator::Program &program) {
    const auto [known, is_new] = assembled_.try_emplace({program.name, program.config});
    const std::optional<Assembler> assembler = find_assembler();
    if (is_new && assembler) {
      const Target target = *Target::parse(std::string(default_target));
      const LoweredKernel lowered = compile(kernel_of(program, compiled_), target);
      MachineCode code = assemble(*assembler, lowered.text(), target.name(), program.name);
      known->second.spilled = spilled_lines(code.cubin, code.log);
      known->second.log = std::move(code.log);
    }
    return known->second;
  }

  const registry::Entry &kernel_;
  registry::Settings settings_;
  const std::int64_t cta_;
  const timeline::GpuModel &model_;
  Compiled compiled_;
  std::map<std::pair<std::string, std::string>, Assembled> assembled_;
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

StartedPrograms started_programs(const registry::Entry &kernel, const registry::Settings &settings,
                                 const timeline::GpuModel &model) {
  Compiled compiled;
  // If all fit on the GPU at the same time, a kernel that loops over its programs starts each of them, too.
  const std::unique_ptr<Device> device =
      recording_device({0}, std::numeric_limits<std::int32_t>::max(), model, compiled);
  launch_once(kernel, *device, settings);
  const std::vector<Recording> &recordings = simulator::simulationOf(*device).recordings;
  if (recordings.empty())
    throw Error(fmt::format("a launch of {} with these sizes starts nothing", kernel.name), {});
  // Operands that it does not take are another kernel's, as those of gemm that are not aligned.
  auto recording = std::ranges::find_if(
      recordings, [&](const Recording &one) { return one.program->name == kernel.name; });
  if (recording == recordings.end())
    recording = recordings.begin();
  const simulator::Program &program = *recording->program;
  return {kernel_of(program, compiled), ctas_of(recording->started) / program.ctas(), program.ctas()};
}

tuning::Sweep untimed_sweep(const registry::Entry &kernel, const registry::Settings &settings,
                            const timeline::GpuModel &model) {
  struct Last : tuning::Observer {
    void finished(const tuning::Sweep &sweep) override { found = sweep; }
    std::optional<tuning::Sweep> found;
  } last;
  Compiled compiled;
  const std::unique_ptr<Device> device =
      recording_device({0}, model.machine.multiprocessors, model, compiled);
  {
    const tuning::Observing observing(last);
    const tuning::Asking asking;
    launch_once(kernel, *device, settings);
  }
  if (!last.found)
    throw Error(fmt::format("{} has one config for such operands, so there is nothing to tune", kernel.name),
                {})
        .add_help("`tile trace` predicts the time of one config");
  return std::move(*last.found);
}

RecordedLaunches record_launch(const registry::Entry &kernel, const registry::Settings &settings,
                               std::int64_t cta, std::int64_t samples, const timeline::GpuModel &model) {
  return Recorded(kernel, settings, cta, model).run(samples);
}

}   // namespace tile::tool
