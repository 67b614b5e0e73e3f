// SPDX-License-Identifier: MIT
#include "runtime/host/device.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/simulation.h"
#include "runtime/simulator/tensor_map.h"

#include <bit>

namespace tile {
namespace {

using namespace simulator;

// Of code that finds its programs in a loop. Few, so that the loop goes round in the small grids of tests;
// and odd, so that it ends in a round that is not full: extents of grids are often powers of two.
constexpr std::int64_t residentClusters = 3;

std::array<std::byte, 128> encoded(const TensorDescription &description) {
  return std::bit_cast<std::array<std::byte, 128>>(encodeTensorMap(description));
}

class Simulator final : public host::HostDevice {
 public:
  Simulator(SimulatorOptions options, Compile compile)
      : HostDevice("simulator of " + options.target,
                   {options.threads, options.check_bounds, options.check_uninitialized, options.limit_seconds,
                    options.shows_progress, options.print}),
        compile_(std::move(compile)), simulation_{.options = std::move(options)} {}

  std::string_view kind() const override { return "simulator"; }
  bool has_limits() const override { return true; }

  Simulation &simulation() { return simulation_; }
  const Simulation &simulation() const { return simulation_; }
  std::unique_ptr<Executable> load(std::shared_ptr<const Program> program) {
    return host::make_executable(engine(), program,
                                 [this, program](unsigned thread) {
                                   return std::make_unique<Cluster>(program, simulation_,
                                                                    workspaceOf(thread));
                                 },
                                 {.encode = encoded, .resident = residentClusters});
  }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override { return load(compile_(kernel)); }

 private:
  // Asked by one launch at a time.
  const std::shared_ptr<Workspace> &workspaceOf(unsigned thread) {
    while (workspaces_.size() <= thread)
      workspaces_.push_back(std::make_shared<Workspace>());
    return workspaces_[thread];
  }

  const Compile compile_;
  Simulation simulation_;
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
