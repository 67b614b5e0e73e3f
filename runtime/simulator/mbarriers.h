// SPDX-License-Identifier: MIT
// Barriers in shared memory that count arrivals and bytes. A phase is over when as many arrivals came as the
// barrier was made for and all announced bytes have landed.
#pragma once

#include "runtime/simulator/order.h"
#include "runtime/simulator/thread.h"

#include <memory>
#include <vector>

namespace tile::simulator {

struct MBarrier {
  static constexpr std::uint32_t mostArrivals = (1u << 20) - 1;
  static constexpr std::int64_t mostBytes = (1 << 20) - 1;

  Cta *cta;
  std::uint32_t offset;              // in shared memory
  std::uint32_t expected, pending;   // arrivals of a phase, and those of this one that are to come
  std::int64_t bytes = 0;            // announced and not landed, or, negative, the other way round
  std::uint32_t phase = 0;           // how many are over
  std::uint32_t copies = 0;          // on their way to it
  Actor actor = 0;                   // stands for what lands under it
  unsigned initialiser = 0, site = 0;
  Clock initialised = 0;
  bool isFenced = false;   // asynchronous copies may use it
  bool hasRelaxedWaits = false;
  Moment gathering, released;   // of who arrived, and of the phases that are over
  // Of the phase before this one, and of this one: who arrived, unless not only threads that release did.
  struct Arrivals {
    struct One {
      Actor actor;
      Clock clock;
    };
    std::vector<One> all;
    bool areOfThreads = true;
    unsigned site = 0;
  } before, now;
  std::vector<Thread *> waiting;
};

class MBarriers {
 public:
  void begin(Cta &cta, std::size_t sharedBytes);

  void init(Thread &t, const void *at, std::uint32_t count, unsigned site);
  void inval(Thread &t, MBarrier &barrier, unsigned site);
  // A live barrier, known to the thread; fails otherwise. `forCopy`: a bulk copy is to land under it.
  MBarrier &find(Thread &t, const void *at, unsigned site, bool forCopy = false);
  // All mbarriers that the thread has made; a fence of its makes them known to the copying engine.
  void fence(const Thread &t);

  enum Flags : unsigned { drop = 1, noComplete = 2, relaxed = 4, ofCluster = 8 };
  // Gives the phase in which the arrival counted.
  static std::uint32_t arrive(Thread &t, MBarrier &barrier, std::uint32_t count, std::int64_t bytes,
                              unsigned flags, unsigned site);
  static void expect(Thread &t, MBarrier &barrier, std::int64_t bytes, unsigned site);
  // Fails unless the thread comes to this phase in every order: what it says would count in the phase before
  // where that is not over yet.
  static void checkPhase(const Thread &t, const MBarrier &barrier, unsigned site);
  // Bytes of a bulk copy have landed; `t`: whose turn it is.
  static void complete(Thread &t, MBarrier &barrier, std::int64_t bytes, unsigned site);
  // One arrival that was promised earlier (cp.async.mbarrier.arrive).
  static void arriveLater(Thread &t, MBarrier &barrier, unsigned site);
  // Whether the phase is over; `blocks`: returns when it is.
  static bool wait(Thread &t, MBarrier &barrier, std::uint64_t phase, bool isState, bool blocks,
                   bool isRelaxed, unsigned site);

 private:
  static void settle(MBarrier &barrier);
  Cta *cta_ = nullptr;
  std::vector<std::unique_ptr<MBarrier>> places_;   // by offset / 8
  std::vector<MBarrier *> live_;
};

}   // namespace tile::simulator
