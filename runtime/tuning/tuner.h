// SPDX-License-Identifier: MIT
// Finds the fastest of several executables of one kernel for the arguments of one launch: compiles them in
// parallel, runs each, while others are compiled, on copies of what it writes, believes the result that most
// of them have, and times those. Whoever is expected to be fast comes first, for the time may be limited.
#pragma once

#include "runtime/device.h"
#include "runtime/tuning/rounds.h"
#include "runtime/tuning/tuning.h"

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
  std::string left_out = {};   // why it is not tried; empty: it is
  double expected = 0;         // seconds of a launch; 0: nobody says
};

struct Task {
  Device &device;
  std::string kernel, key, arguments_text;
  Work work;
  std::vector<Candidate> candidates;   // in the order of the configs
  std::span<const Argument> arguments;
  std::span<const Access> access;
  std::span<const MemoryExtent> memory = {};   // that pointers reach into, as PackedArgument has it; or none
  double limit = 60;                           // seconds that a launch of a candidate may take
  // Threads that compile; 0: as many as there are usable cores. 1: the caller's, one after the other.
  int jobs = 0;
  // Of the candidates: whose result counts where as many have another. Else the earliest's does.
  std::optional<std::size_t> reference = {};
  // Its result was right in an earlier sweep, so that whoever has another one is wrong.
  std::optional<std::size_t> trusted = {};
  // Comes before all others.
  std::optional<std::size_t> preferred = {};
  double seconds = 0;                        // that the sweep may take, by `clock`; 0: as long as it takes
  std::function<double()> clock = nullptr;   // null: the time of day; asked in any thread
  // The device's clock depends on what it has done lately: it works while others are compiled.
  bool keeps_busy = false;
  RoundOptions rounds = {};
  Observer *observer = nullptr;
  // Keeps other processes off the device, as long as what it returns lives: to be held while kernels are
  // timed.
  std::function<std::shared_ptr<void>()> reserve = nullptr;
  // Asked when the device is reserved: whether somebody else has found it out meanwhile.
  std::function<bool()> settled = nullptr;
};

struct Tuned {
  Sweep sweep;
  Executable *executable = nullptr;   // the winner's
  bool is_settled = false;            // by somebody else, as Task::settled has said: there is no winner
};

// The candidates that are tried, the most promising first: the preferred one, then as they are expected.
std::vector<std::size_t> order_of(const Task &task);

// Throws tile::Error with the reason of every candidate if none works, and at once when the device is lost.
Tuned tune(const Task &task);

// The first candidate that compiles and fits, without timing.
Tuned take_first(const Task &task, std::string why);

}   // namespace tile::tuning
