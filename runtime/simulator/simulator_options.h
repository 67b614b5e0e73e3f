// SPDX-License-Identifier: MIT
// The options, checks and counts of a simulator. <tile/simulator.h> opens one.
#pragma once

#include <tile/completion.h>
#include <tile/default_target.h>
#include <tile/device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct SimulatorOptions {
  std::string target{default_target};                  // the target of the code that it runs
  int threads = 0;                                     // 0: one for each core that affinity and cgroups allow
  Completion completion = Completion::latest;          // for asynchronous copies
  Completion matrix_completion = Completion::latest;   // for matrix operations of warpgroups
  unsigned seed = 1;                                   // for random completion
  // None: a fixed order of threads. A seed: a random order, which exposes bugs that the fixed order hides.
  std::optional<unsigned> schedule_seed;
  bool check_bounds = true;           // accesses stay inside one buffer and are aligned
  bool check_overflow = true;         // no access through an offset that overflowed
  bool check_asserts = true;          // assume_* hold; device_assert is always checked
  bool check_uninitialized = false;   // no load reads memory of buffers before it is written
  bool check_races = false;           // programs of a launch share written memory only through atomics
  int limit_seconds = 0;              // the most that a launch may take; 0: no limit
  bool shows_progress = false;        // on standard error, for launches that take long
  bool count_accesses = false;        // count the cost of memory accesses for each warp
  // What the warps of these CTAs do is recorded (`tile trace`). No other CTA runs, so results are incomplete.
  std::vector<std::int64_t> recorded_ctas;
  // CTAs, or clusters of them, that a kernel which loops over its programs starts at most. Few, so that the
  // loop goes round in the small grids of tests; and odd, so that it ends in a round that is not full.
  std::int64_t resident_clusters = 3;
  Machine machine;   // for which untuned launches choose configs; empty: they take the first that fits
  bool ring_floats = false;   // floats are integers modulo 2^width (docs/design.md, random programs)
  std::function<void(const KernelIR &kernel)> compiles;   // is told of each kernel that is compiled
  std::function<void(std::string_view line)> print;       // receives the lines of print(); default: stdout
};

// From now on the simulator counts the cost of memory accesses: sectors of global memory, wavefronts and bank
// conflicts of shared memory. Counting takes a few nanoseconds for each access of a thread. On other devices,
// it does nothing.
void simulator_count_accesses(Device &device);

// The work of a simulator since it was opened, one line for each kind of work: "products: 16,384 mma". Empty
// for other devices.
std::vector<std::string> simulator_counts(const Device &device);

// The same as numbers, for tables. 0: another device, or accesses that were not counted.
struct SimulatorTotals {
  std::uint64_t global_instructions = 0, sectors = 0, least_sectors = 0;   // sectors of 32 bytes
  std::uint64_t shared_instructions = 0, wavefronts = 0, least_wavefronts = 0;
  std::uint64_t matrix_instructions = 0;   // mma of warps and wgmma of warpgroups
};
SimulatorTotals simulator_totals(const Device &device);

}   // namespace tile
