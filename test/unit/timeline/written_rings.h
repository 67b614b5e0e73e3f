// SPDX-License-Identifier: MIT
// Rings of stamps written by hand, as the code of compiler/lowering/ptx/stamp_clock.cpp writes them.
#pragma once

#include "runtime/stamps.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace tile::timeline {

class WrittenRings {
 public:
  struct Head {
    std::uint32_t cta, warp, multiprocessor, lost;
    std::uint64_t begin_ns, begin_clock, end_ns, end_clock, unused[2];
  };
  struct Begin {
    std::uint64_t clock = 0, nanoseconds = 0;
    unsigned multiprocessor = 0;
  };
  struct End {
    std::uint64_t nanoseconds = 0;
    unsigned lost = 0;
  };
  static constexpr unsigned ring_bytes = 1024, stamps_of_ring = (ring_bytes - sizeof(Head)) / 8;

  // Times are cycles since the begin of the ring.
  class Ring {
   public:
    Ring &at(unsigned time, unsigned site, unsigned mbarrier = 0) { return add(time, 2 * site, mbarrier); }
    Ring &ends(unsigned time, unsigned site) { return add(time, 2 * site + 1, 0); }
    Ring &end(unsigned time) { return end(time, {}); }
    Ring &end(unsigned time, End end) {
      head_.end_clock = head_.begin_clock + time;
      head_.end_ns = end.nanoseconds;
      head_.lost = end.lost;
      return *this;
    }
    Head &head() { return head_; }

   private:
    friend class WrittenRings;
    Ring &add(unsigned time, unsigned code, unsigned mbarrier) {
      words_.push_back(static_cast<std::uint32_t>(head_.begin_clock + time));
      words_.push_back(mbarrier / 8 << 16 | code);
      return *this;
    }
    Head head_{};
    std::vector<std::uint32_t> words_;
  };

  // `clock`: of a multiprocessor when a ring begins, if nothing else is said.
  explicit WrittenRings(unsigned warps, std::uint64_t clock = 5000) : clock_(clock) {
    launch_.code.kernel.name = "written";
    launch_.code.kernel.threads = 32 * warps;
    launch_.code.ring_bytes = ring_bytes;
    launch_.code.most_ctas = 16;
    launch_.started = {4, 2, 1};
    launch_.ctas = {0};
  }
  void ctas(std::vector<std::int64_t> ctas) { launch_.ctas = std::move(ctas); }
  // Numbers of sites begin with 1.
  unsigned site(StampKind kind, unsigned line, unsigned amount = 0) {
    launch_.code.sites.push_back({kind, {"/src/kernel.cpp", line, 1}, amount});
    return static_cast<unsigned>(launch_.code.sites.size());
  }
  Ring &begin(std::int64_t cta, unsigned warp) { return begin(cta, warp, {}); }
  Ring &begin(std::int64_t cta, unsigned warp, Begin begin) {
    Ring &ring = rings_[{cta, warp}] = {};
    ring.head_ = {.cta = static_cast<std::uint32_t>(cta),
                  .warp = warp,
                  .multiprocessor = begin.multiprocessor,
                  .begin_ns = begin.nanoseconds,
                  .begin_clock = begin.clock ? begin.clock : clock_};
    return ring;
  }

  StampedLaunch launch() const {
    StampedLaunch launch = launch_;
    const std::size_t warps = launch.code.kernel.threads / 32;
    launch.rings.assign(launch.ctas.size() * warps * ring_bytes, std::byte{0});
    for (std::size_t slot = 0; slot < launch.ctas.size(); ++slot)
      for (unsigned warp = 0; warp < warps; ++warp)
        if (const auto found = rings_.find({launch.ctas[slot], warp}); found != rings_.end()) {
          std::byte *to = launch.rings.data() + (slot * warps + warp) * ring_bytes;
          const Ring &ring = found->second;
          std::memcpy(to, &ring.head_, sizeof ring.head_);
          std::memcpy(to + sizeof ring.head_, ring.words_.data(), ring.words_.size() * sizeof(std::uint32_t));
        }
    return launch;
  }

 private:
  std::uint64_t clock_;
  StampedLaunch launch_;
  std::map<std::pair<std::int64_t, unsigned>, Ring> rings_;
};

}   // namespace tile::timeline
