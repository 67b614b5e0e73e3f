// SPDX-License-Identifier: MIT
// Counts what accesses to memory cost a warp. A thread runs alone until its warp meets, so that what the
// machine does as one instruction comes here lane by lane, far apart in time:
//
//   lane 0:  load A, load A, store B, (meets)
//   lane 1:  load A, load A, store B, (meets)      ...
//
// The n-th time that a lane is at a place of the program belongs to the n-th time of the other lanes. That is
// exact where the lanes of a warp go the same way. Where they do not, they are out of step until the whole
// warp meets again.
#pragma once

#include "runtime/simulator/access_cost.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tile::simulator {

enum class AccessKind : std::uint8_t {
  sharedLoad,
  sharedStore,
  sharedUpdate,
  sharedMatrix,   // ldmatrix and stmatrix
  sharedCopy,     // where cp.async writes
  globalLoad,
  globalStore,
  globalUpdate,
  globalCopy,   // where cp.async reads
};
constexpr std::size_t accessKinds = 9;
constexpr bool isGlobal(AccessKind kind) { return kind >= AccessKind::globalLoad; }

struct AccessCounts {
  std::uint64_t accesses = 0, parts = 0, least = 0;   // parts: wavefronts or sectors
  std::uint64_t excess() const { return parts - least; }
  void add(const AccessCounts &other) {
    accesses += other.accesses;
    parts += other.parts;
    least += other.least;
  }
};

class AccessLog {
 public:
  AccessLog(unsigned warps, std::size_t sites);

  // A lane is there; without a predicate that holds, it asks for nothing.
  void add(unsigned warp, unsigned lane, unsigned site, AccessKind kind, std::uint64_t at,
           std::uint32_t bytes, bool isActive = true);
  // An access that is known as a whole.
  void add(unsigned site, AccessKind kind, const WarpAccess &access);
  // All lanes of the warp are at one place of the program: what misses lanes will not get them.
  void realign(unsigned warp);
  void realign();

  // Calls visit(site, kind, counts) for what was counted since the last time.
  template <class Visit> void take(Visit &&visit) {
    realign();
    for (std::size_t i = 0; i < totals_.size(); ++i)
      if (totals_[i].accesses) {
        visit(static_cast<unsigned>(i / accessKinds), static_cast<AccessKind>(i % accessKinds), totals_[i]);
        totals_[i] = {};
      }
  }

 private:
  struct Access : WarpAccess {
    std::uint32_t present = 0;   // lanes that have been there
  };
  // Of one place, kind and warp.
  struct Stream {
    std::size_t total = 0;
    std::array<std::uint32_t, 32> times{};   // that each lane was there
    std::uint32_t first = 0;                 // the time that open[0] is of
    std::vector<Access> open;                // some lane is missing
    std::size_t done = 0;                    // of `open`, at its beginning
  };
  struct Warp {
    std::vector<std::unique_ptr<Stream>> streams;   // by place and kind
    std::size_t open = 0;                           // accesses, in all streams
    bool isOutOfStep = false;                       // some lanes were at a place more often than others
  };
  void drop(Warp &warp, Stream &stream, std::size_t count);

  std::vector<Warp> warps_;
  std::vector<AccessCounts> totals_;   // by place and kind
};

}   // namespace tile::simulator
