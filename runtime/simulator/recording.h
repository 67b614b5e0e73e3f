// SPDX-License-Identifier: MIT
// What the warps of some CTAs do, in the order of each warp, without times. runtime/timeline says when the
// machine does it.
#pragma once

#include "runtime/device.h"
#include "runtime/simulator/program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tile::simulator {

enum class Act : std::uint8_t {
  work,             // what is computed on the way to a place
  shared,           // amount: wavefronts; more: the fewest that would do
  globalLoad,       // amount: sectors; more: the fewest
  globalStore,      // the same
  globalUpdate,     // the same; atomics
  shuffle,          // and votes, elections, reductions of a warp
  multiply,         // mma.sync
  copy,             // cp.async; amount: sectors
  copyCommit,       //
  copyWait,         // amount: groups that may be on their way
  barrier,          // object: its number; amount: threads; more: whether the warp waits
  mbarrierInit,     // object: the mbarrier; amount: arrivals of a phase
  mbarrierExpect,   // amount: bytes
  mbarrierArrive,   // amount: arrivals; more: bytes expected
  mbarrierWait,     // amount: phases that have to be over
  copyArrive,       // the cp.async of the warp arrive there when they have landed; amount: arrivals
  load,    // bulk copy; object: the mbarrier; amount: bytes; more: CTAs by rank; cached: what it takes of the
           // L2 cache
  store,   // bulk copy; amount: bytes
  storeCommit,     //
  storeWait,       // amount: groups; more: whether they may still write
  product,         // wgmma; amount: columns; more: whether A is in registers
  productCommit,   //
  productWait,     // amount: groups that may be on their way
  clusterArrive,   //
  clusterWait,     //
};

struct Step {
  std::uint32_t place = 0;
  Act act = Act::work;
  std::uint32_t object = 0, amount = 0, more = 0, cached = 0;
};

struct WarpRecord {
  unsigned cta = 0, warp = 0;   // `cta`: its rank in the cluster
  std::vector<Step> steps;
};

// Of one cluster.
struct ClusterRecord {
  std::int64_t index = 0;
  std::vector<std::array<std::int32_t, 3>> ctas;   // their program ids
  std::vector<WarpRecord> warps;
};

struct Recording {
  std::shared_ptr<const Program> program;
  Grid started;   // the CTAs that the launch starts
  std::vector<ClusterRecord> clusters;
};

}   // namespace tile::simulator
