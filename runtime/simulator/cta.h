// SPDX-License-Identifier: MIT
// Runs the threads of one program on one host thread: each on a fiber, from one meeting with others to the
// next. A Cta serves one program after the other.
#pragma once

#include "runtime/error.h"
#include "runtime/host/grid.h"
#include "runtime/host/memory_view.h"
#include "runtime/simulator/access_log.h"
#include "runtime/simulator/mbarriers.h"
#include "runtime/simulator/named_barriers.h"
#include "runtime/simulator/program.h"
#include "runtime/simulator/shared_memory.h"
#include "runtime/simulator/simulation.h"
#include "runtime/simulator/thread.h"
#include "runtime/simulator/warpgroup.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tile::simulator {

using host::Pointer;

class Cluster;
class Recorder;

class Cta {
 public:
  // One of a cluster, by its place there.
  Cta(Cluster &cluster, const Program &program, unsigned rank);
  // For a new program: all threads at the start.
  void begin(const std::array<std::int32_t, 3> &id);

  // ---- for the calls of the kernel, which run on fibers

  Cluster &cluster() const { return cluster_; }
  const Program &program() const { return program_; }
  host::Launched &launch() const;
  const SimulatorOptions &options() const;
  unsigned rank() const { return rank_; }
  const std::array<std::int32_t, 3> &id() const { return id_; }
  // What the next copy of a tensor map by this warp is in the cluster's order.
  std::pair<Actor, Clock> mapCopy(unsigned warp);
  SharedMemory &shared;
  host::MemoryView global;
  Counters counters;
  std::unique_ptr<AccessLog> accesses;   // where they are to be counted
  Recorder *recorder = nullptr;          // where what the warps do is recorded
  MBarriers mbarriers;
  NamedBarriers namedBarriers;
  std::vector<Warpgroup> warpgroups;

  // Returns when all threads have come to this barrier: how many of them with a true condition.
  unsigned barrier(Thread &t, unsigned site, bool condition = false);
  // Where a program that fails a check of its own leaves word of it (tile_gpu.fault_record).
  void *faultRecord() { return &fault_; }
  bool failedCheck() const { return fault_.failed != 0; }
  // All threads have: its shared memory is nobody's.
  bool hasEnded() const { return ended_ == program_.threads; }
  // The thread of another CTA is about to use this one's shared memory: this one has begun, and a thread of
  // it knows of the use before it ends, whatever the order; fails otherwise, here or at the end.
  void useFromOutside(Thread &t, unsigned site);
  // The thread ends here.
  [[noreturn]] void exit(Thread &t) {
    t.copies.clear();
    end(t);
  }
  // Returns when all threads of the warp have come, or those of the mask that still run; the last one
  // computes: `work(arrivals)`, of 32 pointers, null where there is nobody. Parts of a warp that have no
  // thread in common meet at the same time, wherever each is.
  template <class Work>
  void meet(Thread &t, unsigned site, void *arrival, Work &&work, std::uint32_t mask = ~0u) {
    if (Meeting *meeting = join(t, site, arrival, mask)) {
      work(meeting->arrivals.data());
      dismiss(t.warp(), *meeting);
    }
  }
  // Returns when somebody wakes the thread; whether it was an event, not the lack of any.
  bool block(Thread &t, Wait wait, unsigned site);
  void wake(Thread &t);
  // Lets others run: the thread may be waiting for what they do.
  void pause(Thread &t);
  // Throws Abandoned, in effect, when the launch has failed elsewhere.
  void checkpoint(Thread &t);
  std::uint32_t random();
  // Who may run: of the warp, or, if it is to be skipped or has nobody, of the next ones.
  Thread *ready(unsigned warp, bool skipWarp);
  // One of the warp's, if there is any.
  Thread *readyAtRandom(unsigned warp, std::uint32_t choice);
  Thread *readyFirstLane(unsigned warp);
  std::span<Thread> threads() { return {threads_.get(), program_.threads}; }
  std::span<const Thread> threads() const { return {threads_.get(), program_.threads}; }

  // Stops the program with the error that `compose()` gives. It is called on the host's stack, for the
  // thread's is left as it is: nothing that has a destructor may be alive there.
  template <class Compose> [[noreturn]] void fail(const Thread &t, const Compose &compose) {
    fail(t, &compose, [](const void *composer) { return (*static_cast<const Compose *>(composer))(); });
  }
  // An error at the operation's place, which says `message` after the operation's name.
  Error at(unsigned site, const std::string &message, std::vector<Error::Note> notes = {}) const;
  Error failedCheckError() const;
  // Adds where it happened.
  Error explained(Error error, const Thread *thread) const;
  // What threads wait for, a note for each place.
  void describeWaits(std::vector<Error::Note> &notes) const;

 private:
  struct Meeting {
    std::uint32_t arrived = 0, mask = 0;   // by lane: who is there, and who is awaited
    unsigned site = 0;
    std::array<void *, 32> arrivals{};
  };
  struct Warp {
    std::uint32_t ready = 0, ended = 0;   // by lane
    std::uint32_t awaited = 0;            // the masks of all meetings that have begun
    std::vector<Meeting> meetings;        // by the first lane of their mask; as many as there ever were
    Meeting &of(std::uint32_t mask);
  };
  static void begin(void *thread);
  Meeting *join(Thread &t, unsigned site, void *arrival, std::uint32_t mask);
  void dismiss(unsigned warp, Meeting &meeting);
  [[noreturn]] void failToMeet(const Thread &t, unsigned site, std::uint32_t mask);
  void stop(Thread &t);   // until somebody makes it ready
  [[noreturn]] void end(Thread &t);
  void checkUsesFromOutside(const Thread &t);
  std::size_t stackOf(const Thread &t) const { return t.actor; }
  [[noreturn]] void fail(const Thread &t, const void *composer, Error (*compose)(const void *));
  void orderAll();
  static bool waitsLike(const Thread &a, const Thread &b);
  std::string whoWaits(const Thread &like) const;
  std::string whatFor(const Thread &t) const;

  Cluster &cluster_;
  const Program &program_;
  unsigned rank_;
  std::unique_ptr<Thread[]> threads_;
  std::vector<Warp> warps_;
  std::vector<std::pair<Actor, Clock>> mapCopies_;   // of each warp: who they are, and how many
  unsigned atBarrier_ = 0, ended_ = 0;
  unsigned holding_ = 0, held_ = 0;   // threads with a true condition at the barrier, and at the one before
  FaultRecord fault_{};
  struct OutsideUse {
    Actor actor;
    Clock clock;
    unsigned site;
  };
  std::vector<OutsideUse> outsideUses_;   // of which no thread that has ended knew
  std::array<std::int32_t, 3> id_{};
};

}   // namespace tile::simulator
