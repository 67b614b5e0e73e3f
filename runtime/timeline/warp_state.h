// SPDX-License-Identifier: MIT
// Where a warp is in its record, and what of its work is under way.
#pragma once

#include "runtime/timeline/timeline.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tile::timeline {

// Results that are on their way, in the order of their places.
struct Pending {
  double time = 0;
  State state = State::results;
};

// Groups of asynchronous operations of a warp, by the time at which all of a group are done.
class Groups {
 public:
  void add(double done) { open_ = std::max(open_, done); }
  void commit() { closed_.push_back(std::exchange(open_, 0.0)); }
  // When no more than `pending` groups are on their way.
  double done(std::uint32_t pending) const {
    double time = 0;
    for (std::size_t i = 0; i + pending < closed_.size(); ++i)
      time = std::max(time, closed_[i]);
    return time;
  }
  double open() const { return open_; }

 private:
  std::vector<double> closed_;
  double open_ = 0;
};

struct WarpState {
  const simulator::WarpRecord *record = nullptr;
  unsigned copy = 0, quarter = 0;   // `copy`: of the CTA, on the same multiprocessor
  std::size_t next = 0;
  int parts = 0, parts_of_all = 1;   // of the work at this place: those to be done, and all
  std::unordered_map<std::uint32_t, Pending> pending;
  Groups copies, store_reads, stores;
  std::uint32_t products = 0;                  // begun
  std::uint32_t cluster_phases = 0;            // barriers of the cluster that it has waited at
  std::vector<std::uint32_t> product_groups;   // the number behind the last product of each
  // While it waits for others.
  double since = 0;
  WarpTimeline *timeline = nullptr;   // none: a copy
};

}   // namespace tile::timeline
