// SPDX-License-Identifier: MIT
// Whose turn it is, drawn at random. Warps have ranks, which change now and then, and the first one that can
// go on does: so that one runs far ahead of another, or stays far behind, which even chances never bring
// about. Before they tell each other anything, threads may lose their turn. A seed stands for one order.
#pragma once

#include <cstdint>
#include <vector>

namespace tile::simulator {

class Cluster;
struct Thread;

class Schedule {
 public:
  // For a new program of so many warps.
  void begin(std::uint32_t seed, unsigned warps);
  // Somebody who can go on, or null; not of the warp that `after` is of, if that is to be skipped.
  Thread *pick(Cluster &cluster, const Thread &after, bool skipWarp);
  // Whether a thread that could go on lets others do so first.
  bool interrupts() { return random() % 4 == 0; }

 private:
  std::uint32_t random();
  Thread *readyFirstLane(Cluster &cluster, unsigned skipped);

  std::uint32_t state_ = 1;
  // The first lanes of all warps come before every other one, and warps in one order: whoever speaks for a
  // warp is far ahead of those for whom it does.
  bool isUnfair_ = false;
  std::vector<unsigned> order_;   // the warps of all CTAs, the first one first
};

}   // namespace tile::simulator
