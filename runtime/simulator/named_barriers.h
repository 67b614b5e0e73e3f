// SPDX-License-Identifier: MIT
// The sixteen barriers of a CTA that some of its threads meet at: those who wait, and those who only arrive.
#pragma once

#include "runtime/simulator/order.h"
#include "runtime/simulator/thread.h"

#include <array>
#include <vector>

namespace tile::simulator {

struct NamedBarrier {
  std::uint32_t expected = 0, arrived = 0, site = 0;
  Moment gathering;
  std::vector<Thread *> waiting;
  std::uint32_t meetings = 0;   // that are over: the clock of `actor`
  Actor actor = 0;
};

class NamedBarriers {
 public:
  void begin() { barriers_ = {}; }
  // `count`: of threads, all those of the CTA if 0. Returns at once, or when they have come.
  void arrive(Thread &t, std::uint32_t number, std::uint32_t count, bool waits, unsigned site);
  const NamedBarrier &operator[](std::size_t number) const { return barriers_[number]; }

 private:
  std::array<NamedBarrier, 16> barriers_;
};

}   // namespace tile::simulator
