// SPDX-License-Identifier: MIT
// When the warps of a recording do what they do, by a model of the machine: the steps of all warps are
// replayed in the order of time, each takes its share of the units, and waits are as long as what is waited
// for takes.
#pragma once

#include "runtime/simulator/recording.h"
#include "runtime/timeline/gpu_model.h"

#include <cstdint>
#include <vector>

namespace tile::timeline {

// What a warp does, or what keeps it.
enum class State : std::uint8_t {
  computing,
  units,      // other warps have the arithmetic units
  data,       // waits for an mbarrier under which copies land
  slot,       // waits for an mbarrier at which readers arrive
  copies,     // waits for its own cp.async
  products,   // waits for products
  results,    // of loads from global memory
  shared,     // results of accesses to shared memory, and shuffles
  barrier,    // of the CTA, or of some of its warps
  stores,     // waits for its own stores
  cluster,    // barrier of the cluster
  turn,       // waits for the other group of warps, in ping-pong
};
constexpr std::size_t states = 12;

struct Span {
  double begin = 0, end = 0;
  State state = State::computing;
  std::uint32_t place = 0;   // where the warp is; of a wait for results, where they come from
};
struct WarpTimeline {
  unsigned cta = 0, warp = 0;
  double end = 0;
  std::vector<Span> spans;   // in order, without overlaps; between them nothing takes long
};
// What goes on beside the warps.
struct Transfer {
  double begin = 0, end = 0;   // from its issue until the bytes are there
  std::uint32_t place = 0;
  std::uint32_t bytes = 0;
  std::uint32_t object = 0;   // the mbarrier of a load
  unsigned cta = 0;
  bool is_store = false;
};
struct Product {
  double begin = 0, end = 0;   // in the matrix unit
  std::uint32_t place = 0;
  unsigned cta = 0, group = 0;   // of four warps
};

struct Timeline {
  double cycles = 0;   // of the longest CTA
  std::vector<WarpTimeline> warps;
  std::vector<Transfer> transfers;
  std::vector<Product> products;
  // Of the first multiprocessor, in cycles.
  double matrix_busy = 0, shared_busy = 0, memory_busy = 0, issue_busy = 0;
};

struct Conditions {
  int resident_ctas = 1;     // of a multiprocessor, at the same time
  double miss_share = 1;     // of the bytes that are loaded: from memory, and not from the L2 cache
  double active_share = 1;   // of the multiprocessors, have CTAs of this kernel
};

Timeline replay(const simulator::Program &program, const simulator::ClusterRecord &record,
                const GpuModel &model, const Conditions &conditions);

}   // namespace tile::timeline
