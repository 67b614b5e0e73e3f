// SPDX-License-Identifier: MIT
// Bulk copies: those into shared memory, which land under an mbarrier at any time that the policy chooses,
// and those out of it, for which their thread waits.
#pragma once

#include "runtime/simulator/mbarriers.h"

namespace tile::simulator {

class Cluster;

// On its way into shared memory.
struct BulkLoad {
  Cta *cta = nullptr;   // where it lands
  MBarrier *barrier = nullptr;
  std::uint32_t offset = 0, bytes = 0, site = 0;
  unsigned beganBy = 0;
  TensorMap map;   // a box of a tensor; or, without a mark, bytes
  const TensorMap *mapPlace = nullptr;
  std::int32_t coordinates[5] = {};
  const std::byte *from = nullptr;
  Cta *reads = nullptr;   // bytes from the shared memory of another CTA, at `readOffset`
  std::uint32_t readOffset = 0;
  std::vector<Copy> copies;   // or of cp.async, for cp.async.mbarrier.arrive
  Thread *thread = nullptr;   // who began those
};

class BulkCopies {
 public:
  explicit BulkCopies(Cluster &cluster) : cluster_(cluster) {}
  void begin() { loads_.clear(); }
  bool empty() const { return loads_.empty(); }

  void load(Thread &t, BulkLoad load);
  // Lets one of those on their way land; `t`: whose turn it is.
  void landAny(Thread &t);
  // Those of cp.async that the thread began.
  void landCopiesOf(Thread &t);
  // The oldest that is still on its way.
  const BulkLoad *first() const { return loads_.empty() ? nullptr : &loads_.front(); }

  void store(Thread &t, BulkStore store);
  static void commit(Thread &t) { ++t.bulkCommits; }
  // Until no more than `pending` groups are on their way, or have still to read.
  void wait(Thread &t, std::uint32_t pending, bool readOnly);
  // Lets a part of one of the thread's own be done.
  void advanceAny(Thread &t);

 private:
  void land(Thread &t, BulkLoad &load);
  void read(Thread &t, BulkStore &store);
  void write(Thread &t, BulkStore &store);

  Cluster &cluster_;
  std::vector<BulkLoad> loads_;
};

}   // namespace tile::simulator
