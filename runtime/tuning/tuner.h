// SPDX-License-Identifier: MIT
// Finds the fastest of several executables of one kernel for the arguments of one launch: compiles them in
// parallel, runs each on copies of what it writes, believes the result that most of them have, and times
// those.
#pragma once

#include "runtime/tuning/rounds.h"
#include "tile/device.h"
#include "tile/tuning.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::tuning {

struct Candidate {
  std::string config;
  bool pruned = false;                     // `keep` refused it
  std::function<Executable *()> compile;   // in any thread; throws tile::Error
  Grid grid;
};

struct Task {
  Device &device;
  std::string kernel, key;
  Work work;
  std::vector<Candidate> candidates;   // in the order of the configs
  std::span<const Argument> arguments;
  std::span<const Access> access;
  std::span<const MemoryExtent> memory = {};   // that pointers reach into, as PackedArgument has it; or none
  double limit = 60;                           // seconds that a launch of a candidate may take
  int jobs = 0;                                // threads that compile; 0: as many as there are usable cores
  // Of the candidates: whose result counts where as many have another. Else the earliest's does.
  std::optional<std::size_t> reference = {};
  RoundOptions rounds = {};
  Observer *observer = nullptr;
  // Keeps other processes off the device, as long as what it returns lives: to be held while kernels are
  // timed.
  std::function<std::shared_ptr<void>()> reserve = nullptr;
};

struct Tuned {
  Sweep sweep;
  Executable *executable = nullptr;   // the winner's
};

// Throws tile::Error with the reason of every candidate if none works, and at once when the device is lost.
Tuned tune(const Task &task);

// The first candidate that compiles and fits, without timing.
Tuned take_first(const Task &task, std::string why);

}   // namespace tile::tuning
