// SPDX-License-Identifier: MIT
// What a simulator checks, and what it has seen. <tile/simulator.h> opens one.
#pragma once

#include "tile/completion.h"
#include "tile/default_target.h"
#include "tile/device.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct SimulatorOptions {
  std::string target{default_target};                  // the GPU whose code is run
  int threads = 0;                                     // 0: as many as the machine has
  Completion completion = Completion::latest;          // of copies
  Completion matrix_completion = Completion::latest;   // of a warpgroup's matrix operations
  unsigned seed = 1;                                   // of what is random
  // Threads go on in a fixed order; or, with a seed, in any: what holds in one order only is found.
  std::optional<unsigned> schedule_seed;
  bool check_bounds = true;           // accesses stay inside one buffer and are aligned
  bool check_overflow = true;         // no access through an offset that overflowed
  bool check_asserts = true;          // device_assert and assume_* hold
  bool check_uninitialized = false;   // nothing is read from buffers that nobody wrote
  bool check_races = false;           // programs of a launch do not meet in memory but by atomics
  int limit_seconds = 0;              // that a launch may take; 0: any number
  bool shows_progress = false;        // of launches that take long, on standard error
  bool count_accesses = false;        // what accesses to memory cost each warp
  bool ring_floats = false;           // floats are integers modulo 2^width (docs/design.md, random programs)
  std::function<void(std::string_view line)> print;   // takes what print() writes; default: stdout
};

// From here on a simulator counts what accesses to memory cost: sectors of global memory, wavefronts and bank
// conflicts of shared memory. That takes a few nanoseconds for each access of a thread. Nothing on other
// devices.
void simulator_count_accesses(Device &device);

// What a simulator has done since it was opened, a line for each kind of work: "products: 16,384 mma".
// Nothing of other devices.
std::vector<std::string> simulator_counts(const Device &device);

// The same as numbers, for tables. 0: other devices, or accesses that were not counted.
struct SimulatorTotals {
  std::uint64_t global_instructions = 0, sectors = 0, least_sectors = 0;   // of 32 bytes
  std::uint64_t shared_instructions = 0, wavefronts = 0, least_wavefronts = 0;
  std::uint64_t matrix_instructions = 0;   // mma and wgmma, by warps and warpgroups
};
SimulatorTotals simulator_totals(const Device &device);

}   // namespace tile
