// SPDX-License-Identifier: MIT
#include "runtime/host/device.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/simulation.h"
#include "runtime/simulator/tensor_map.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <span>

namespace tile {
namespace {

using namespace simulator;

std::array<std::byte, 128> encoded(const TensorDescription &description) {
  return std::bit_cast<std::array<std::byte, 128>>(encodeTensorMap(description));
}

// Runs the clusters of CTAs that are recorded, and takes no memory for the others.
class RecordedClusters final : public host::Runner {
 public:
  using Make = std::function<std::unique_ptr<Cluster>()>;
  RecordedClusters(const Program &program, std::span<const std::int64_t> ctas, Make make)
      : program_(program), recorded_(ctas), make_(std::move(make)) {}

  void run(host::Launched &launch, std::int64_t index) override {
    if (std::ranges::none_of(recorded_,
                             [&](std::int64_t cta) { return clusterOf(cta, launch.grid) == index; }))
      return;
    if (!cluster_)
      cluster_ = make_();
    cluster_->run(launch, index);
  }
  void finish() override {
    if (cluster_)
      cluster_->finish();
  }

 private:
  std::int64_t clusterOf(std::int64_t cta, const Grid &grid) const {
    const auto [cx, cy, cz] = program_.cluster;
    const std::int64_t x = cta % grid.x / cx, y = cta / grid.x % grid.y / cy, z = cta / grid.x / grid.y / cz;
    return (z * (grid.y / cy) + y) * (grid.x / cx) + x;
  }

  const Program &program_;
  const std::span<const std::int64_t> recorded_;
  const Make make_;
  std::unique_ptr<Cluster> cluster_;
};

class Simulator final : public host::HostDevice {
 public:
  Simulator(SimulatorOptions options, Compile compile)
      : HostDevice("simulator of " + options.target,
                   {options.threads, options.check_bounds, options.check_uninitialized, options.limit_seconds,
                    options.shows_progress, options.print}),
        compile_(std::move(compile)), simulation_{.options = std::move(options)} {}

  std::string_view kind() const override { return "simulator"; }
  bool has_limits() const override { return true; }
  Machine machine() const override { return simulation_.options.machine; }

  Simulation &simulation() { return simulation_; }
  const Simulation &simulation() const { return simulation_; }
  std::unique_ptr<Executable> load(std::shared_ptr<const Program> program) {
    const SimulatorOptions &options = simulation_.options;
    return host::make_executable(
        engine(), program,
        [this, program, &options](unsigned thread) -> std::unique_ptr<host::Runner> {
          const auto make = [this, program, thread] {
            return std::make_unique<Cluster>(program, simulation_, workspaceOf(thread));
          };
          if (options.recorded_ctas.empty())
            return make();
          return std::make_unique<RecordedClusters>(*program, options.recorded_ctas, make);
        },
        {.encode = encoded,
         .resident = options.resident_clusters,
         .resources = {
             .unit = program->unit, .roles = static_cast<int>(program->roles), .target = program->target}});
  }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override { return load(compile_(kernel)); }

 private:
  // Asked by one launch at a time, or, of what is recorded, by its threads.
  std::shared_ptr<Workspace> workspaceOf(unsigned thread) {
    const std::lock_guard lock(mutex_);
    while (workspaces_.size() <= thread)
      workspaces_.push_back(std::make_shared<Workspace>());
    return workspaces_[thread];
  }

  const Compile compile_;
  Simulation simulation_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Workspace>> workspaces_;
};

}   // namespace

std::unique_ptr<Device> simulator::openSimulator(SimulatorOptions options, Compile compile) {
  return std::make_unique<Simulator>(std::move(options), std::move(compile));
}

std::unique_ptr<Executable> simulator::loadProgram(Device &device, std::shared_ptr<const Program> program) {
  return dynamic_cast<Simulator &>(device).load(std::move(program));
}
const Simulation &simulator::simulationOf(const Device &device) {
  return dynamic_cast<const Simulator &>(device).simulation();
}

void simulator::Simulation::record(std::shared_ptr<const Program> program, const Grid &started,
                                   std::vector<ClusterRecord> clusters) {
  // The host's threads tell of one launch one after the other; a cluster that is there already is of another
  // launch.
  const auto has = [&](const Recording &recording) {
    return std::ranges::any_of(recording.clusters, [&](const ClusterRecord &cluster) {
      return cluster.index == clusters.front().index;
    });
  };
  if (recordings.empty() || recordings.back().program != program || has(recordings.back()))
    recordings.push_back({.program = std::move(program), .started = started});
  std::ranges::move(clusters, std::back_inserter(recordings.back().clusters));
}

void simulator_count_accesses(Device &device) {
  if (auto *simulator = dynamic_cast<Simulator *>(&device))
    simulator->simulation().options.count_accesses = true;
}

std::vector<std::string> simulator_counts(const Device &device) {
  const auto *simulator = dynamic_cast<const Simulator *>(&device);
  if (!simulator)
    return {};
  std::vector<std::string> lines = simulator->simulation().counters.text();
  for (std::string &line : simulator->simulation().accesses.text())
    lines.push_back(std::move(line));
  return lines;
}

SimulatorTotals simulator_totals(const Device &device) {
  const auto *simulator = dynamic_cast<const Simulator *>(&device);
  if (!simulator)
    return {};
  AccessCounts global, shared;
  for (std::size_t kind = 0; kind < accessKinds; ++kind) {
    const auto which = static_cast<AccessKind>(kind);
    (isGlobal(which) ? global : shared).add(simulator->simulation().accesses.total(which));
  }
  const Counters &counters = simulator->simulation().counters;
  return {global.accesses,
          global.parts,
          global.least,
          shared.accesses,
          shared.parts,
          shared.least,
          counters.matrixOps + counters.warpgroupOps};
}

}   // namespace tile
