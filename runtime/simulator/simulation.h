// SPDX-License-Identifier: MIT
// What the launches of one simulator have in common beside what those of every host device have.
#pragma once

#include "runtime/host/grid.h"
#include "runtime/simulator/access_report.h"
#include "runtime/simulator/program.h"
#include "runtime/simulator/program_races.h"
#include "runtime/simulator/recording.h"
#include "runtime/simulator/simulator_options.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace tile::simulator {

// What was done, over all programs.
struct Counters {
  std::uint64_t matrixOps = 0, matrixReads = 0, shuffles = 0, barriers = 0, copies = 0, atomics = 0,
                globalReads = 0, globalWrites = 0, bytesRead = 0, bytesWritten = 0, bytesCopied = 0,
                sharedReads = 0, sharedWrites = 0, warpgroupOps = 0, bulkCopies = 0, bulkBytes = 0,
                registerChanges = 0;
  void add(const Counters &other);
  // A line for each kind of work.
  std::vector<std::string> text() const;
};

struct Simulation {
  SimulatorOptions options;
  Counters counters;       // of all launches
  AccessReport accesses;   // where they were asked for
  ProgramRaces races;      // of the launch that runs, where they are looked for

  // Of each launch, where recordings were asked for.
  std::vector<Recording> recordings;
  void record(std::shared_ptr<const Program> program, const Grid &started,
              std::vector<ClusterRecord> clusters);
};

// ---- of a device that is a simulator

// What makes programs of traced kernels: the compiler's part.
using Compile = std::function<std::shared_ptr<const Program>(const KernelIR &kernel)>;
std::unique_ptr<Device> openSimulator(SimulatorOptions options, Compile compile);
// A program that was not made from a traced kernel.
std::unique_ptr<Executable> loadProgram(Device &simulator, std::shared_ptr<const Program> program);
const Simulation &simulationOf(const Device &simulator);

}   // namespace tile::simulator
