// SPDX-License-Identifier: MIT
// Runs all programs of a grid.
#pragma once

#include "runtime/host/workers.h"
#include "runtime/simulator/access_report.h"
#include "runtime/simulator/cluster.h"
#include "tile/kernel_ir.h"

#include <set>
#include <span>

namespace tile::simulator {

// What launches of one device have in common.
struct Engine {
  Engine(unsigned threads, host::Allocations::Track track) : allocations(track), workers(threads) {}
  host::Allocations allocations;
  host::Workers workers;
  Options options;
  Counters counters;       // of all launches
  AccessReport accesses;   // where they were asked for
  std::function<void(std::string_view)> print;
  std::set<std::string> launched;   // titles of programs, since the last look at the red zones
  std::mutex launching;             // one launch at a time: it has all threads
  std::mutex printing;
};

// `clusters` are those of earlier launches of the program, to be used again. Throws the error of the first
// program, in the order of their indices, that failed.
void runGrid(Engine &engine, const Program &program, std::vector<std::unique_ptr<Cluster>> &clusters,
             const Grid &grid, std::span<const Argument> arguments, std::span<const Parameter> parameters);

// ---- of a device that is a simulator

// A program that was not made from a traced kernel.
std::unique_ptr<Executable> load(Device &simulator, std::shared_ptr<const Program> program);
const Engine &engineOf(const Device &simulator);

}   // namespace tile::simulator
