// SPDX-License-Identifier: MIT
// The CTAs of one cluster, which take turns on one host thread. A program without clusters is a cluster of
// one.
#pragma once

#include "runtime/simulator/bulk_copies.h"
#include "runtime/simulator/cta.h"
#include "runtime/simulator/device_maps.h"
#include "runtime/simulator/global_writes.h"
#include "runtime/simulator/loop_watch.h"
#include "runtime/simulator/memory_faults.h"
#include "runtime/simulator/recorder.h"
#include "runtime/simulator/schedule.h"
#include "runtime/simulator/workspace.h"

namespace tile::simulator {

class Cluster final : public host::Runner {
 public:
  Cluster(std::shared_ptr<const Program> program, Simulation &simulation,
          std::shared_ptr<Workspace> workspace);
  void run(host::Launched &launch, std::int64_t index) override;
  // Adds what was counted to what the simulator has counted.
  void finish() override;

  const Program &program() const { return program_; }
  Workspace &workspace() const { return *workspace_; }
  host::Launched &launch() const { return *launch_; }
  const SimulatorOptions &options() const { return simulation_.options; }
  std::int64_t index() const { return index_; }
  const std::array<std::int32_t, 3> &id() const { return id_; }
  std::vector<std::unique_ptr<Cta>> ctas;
  // The one in whose shared memory these bytes lie, or null.
  Cta *owner(const void *at, std::size_t bytes) const;
  Order order;
  ReaderSets readers;
  BulkCopies copies;
  DeviceMaps maps{order};
  LoopWatch watch;
  // Null where it cannot matter.
  GlobalWrites *writes() { return tracksGlobal_ ? &writes_ : nullptr; }
  // What other programs do in this launch, and this one among them: null where nobody asks for races.
  ProgramRaces &races() { return simulation_.races; }
  ProgramRaces::Program *racing() const { return racing_; }

  // ---- whose turn it is

  Thread *running = nullptr;
  // Who goes on when `after` does not; null when nobody can, whatever happens.
  Thread *next(const Thread &after, bool skipWarp);
  // Lets others run, but for those of the thread's warp; whether there are any.
  bool pause(Thread &t);
  // The thread gives up its turn: to whom next() says, or to the host.
  void leave(Thread &t, bool forGood = false);
  // Before the thread tells others something or asks for it: where the order is random, they may come first.
  void interrupt(Thread &t) {
    if (isRandom_) [[unlikely]]
      mayInterrupt(t);
  }
  [[noreturn]] void leaveForHost();
  // Something has happened that others may have polled for.
  void progressed() { idlePolls_ = 0; }
  std::uint32_t random();

  void arrive(Thread &t, bool isRelaxed, unsigned site);
  void wait(Thread &t, unsigned site);
  // The thread will come to no barrier any more; nobody waits for it.
  void ends(const Thread &t);
  // Why a program was left: an error, composed on the host's stack.
  struct Failure {
    const Thread *thread = nullptr;
    const void *composer = nullptr;
    Error (*compose)(const void *composer) = nullptr;
  } failure;
  bool abandoned = false;
  unsigned ended = 0;

 private:
  Thread *somebody(const Thread &after, bool skipWarp);
  bool wakePolls();
  void mayInterrupt(Thread &t);
  void switchTo(Thread &t, Thread &to);

  const std::shared_ptr<const Program> kept_;
  const std::shared_ptr<Workspace> workspace_;
  const Program &program_;
  Simulation &simulation_;
  host::Launched *launch_ = nullptr;
  Fiber host_;
  std::int64_t index_ = 0;
  std::array<std::int32_t, 3> id_{};
  std::uint32_t random_ = 1;
  bool isRandom_ = false;   // whose turn it is
  bool tracksGlobal_ = false;
  GlobalWrites writes_;
  ProgramRaces::Program *racing_ = nullptr;
  std::unique_ptr<Recorder> recorder_;
  std::vector<ClusterRecord> records_;   // of this launch
  Schedule schedule_;
  unsigned idlePolls_ = 0;
  unsigned arrived_ = 0, gone_ = 0, phase_ = 0;   // at the barrier of the cluster
  void settle();
  Moment gathering_, released_;
};

}   // namespace tile::simulator
