// SPDX-License-Identifier: MIT
// What a GPU takes for what warps do, as far as the model of time knows it. Cycles, if nothing else is said;
// of one multiprocessor, or of one of its quarters, which issue one instruction in each cycle.
#pragma once

#include "runtime/device.h"

#include <algorithm>

namespace tile::timeline {

struct GpuModel {
  Machine machine{.name = "H200",
                  .multiprocessors = 132,
                  .capability = 90,
                  .clock_hertz = 1.98e9,
                  .memory_bytes_per_second = 4.8143e12,
                  .cache_bytes = 60 << 20,
                  .memory_bytes = std::size_t{139} << 30,
                  .shared_bytes = 227 << 10};
  // Large products take more power than the card may: the clock falls with the share of time in which the
  // matrix units work.
  double hertz_of_products = 1.40e9, shares_of_fall[2] = {0.35, 0.95};
  double clock(double matrix_share) const {
    const double fall = (matrix_share - shares_of_fall[0]) / (shares_of_fall[1] - shares_of_fall[0]);
    return machine.clock_hertz + (hertz_of_products - machine.clock_hertz) * (fall < 0   ? 0
                                                                              : fall > 1 ? 1
                                                                                         : fall);
  }
  double launch_seconds = 1.5e-6;   // of a kernel behind another one
  // Bytes that a multiprocessor gets in a cycle: at most; and its part of what the L2 cache and memory give
  // when all of them ask.
  double most_bytes = 64, bytes_from_l2 = 56, bytes_from_memory = 16.4;
  double stored_bytes = 16.4;

  // From the instruction to its result.
  double shared_latency = 30, shuffle_latency = 24, multiply_latency = 33;
  double load_latency = 280, miss_latency = 560;   // of the L2 cache, and of memory behind it
  // Of a copy by the copy engine, from memory: CTAs that run at the same time walk through the operands in
  // step, so that all of them wait for what one of them brings into the cache.
  double bulk_latency = 850;
  double store_latency = 500;
  double product_latency = 28;   // from the last result to the thread that waits
  double barrier_latency = 20, mbarrier_latency = 18, cluster_latency = 190;

  double issue = 2;   // of an operation that is no arithmetic
  // Between two instructions of one warp, which mostly needs the result of one of the last few.
  double instruction_interval = 2.4;
  double bulk_issue = 16;         // of an operation of the copy engine
  double multiply_cycles = 6.2;   // of mma.sync, in a quarter: 0.65 of the rate of wgmma
  // Of wgmma of 64 rows, with A in registers or not: what it reads from shared memory, and how long it takes.
  static double product_wavefronts(unsigned columns, bool is_in_registers) {
    return (is_in_registers ? 0 : 16) + columns / 4.0;
  }
  static double product(unsigned columns, bool is_in_registers) {
    return std::max(columns / 2.0, product_wavefronts(columns, is_in_registers));
  }
};

}   // namespace tile::timeline
