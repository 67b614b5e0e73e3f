// SPDX-License-Identifier: MIT
// Runs the threads of one program on one host thread: each on a fiber, from one meeting with others to the
// next. A Cta serves one program after the other.
#pragma once

#include "runtime/simulator/global_memory.h"
#include "runtime/simulator/launched.h"
#include "runtime/simulator/program.h"
#include "runtime/simulator/shared_memory.h"
#include "runtime/simulator/thread.h"
#include "tile/error.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tile::simulator {

class Cta {
 public:
  explicit Cta(const Program &program);

  // Runs the program with this linear index to its end; throws tile::Error, or Abandoned.
  void run(Launched &launch, std::int64_t index);

  // ---- for the calls of the kernel, which run on fibers

  const Program &program() const { return program_; }
  Launched &launch() const { return *launch_; }
  const std::array<std::int32_t, 3> &id() const { return id_; }
  SharedMemory shared;
  GlobalMemory global;
  Counters counters;

  // Returns when all threads have come to this barrier: how many of them with a true condition.
  unsigned barrier(Thread &t, unsigned site, bool condition = false);
  // Where a program that fails a check of its own leaves word of it (tile_gpu.fault_record).
  void *faultRecord() { return &fault_; }
  // The thread ends here.
  [[noreturn]] void exit(Thread &t) {
    t.copies.clear();
    end(t);
  }
  // Returns when all threads of the warp have come; the last one computes: `work(arrivals)`, of 32
  // pointers.
  template <class Work> void meet(Thread &t, unsigned site, void *arrival, Work &&work) {
    if (join(t, site, arrival)) {
      work(warps_[t.warp()].arrivals.data());
      dismiss(t.warp());
    }
  }
  // Lets others run: the thread may be waiting for what they do.
  void pause(Thread &t);
  // Throws Abandoned, in effect, when the launch has failed elsewhere.
  void checkpoint(Thread &t);
  std::uint32_t random();

  // Stops the program with the error that `compose()` gives. It is called on the host's stack, for the
  // thread's is left as it is: nothing that has a destructor may be alive there.
  template <class Compose> [[noreturn]] void fail(const Thread &t, const Compose &compose) {
    failing_ = &t;
    composer_ = &compose;
    compose_ = [](const void *composer) { return (*static_cast<const Compose *>(composer))(); };
    leave();
  }
  // An error at the operation's place, which says `message` after the operation's name.
  Error at(unsigned site, const std::string &message, std::vector<Error::Note> notes = {}) const;

 private:
  struct Warp {
    std::uint32_t ready = 0, arrived = 0;   // by lane
    unsigned site = 0;                      // where those who arrived are
    std::array<void *, 32> arrivals{};
  };
  static void begin(void *thread);
  bool join(Thread &t, unsigned site, void *arrival);
  void dismiss(unsigned warp);
  void stop(Thread &t);   // until somebody makes it ready
  Thread *next(const Thread &after, bool skipWarp);
  [[noreturn]] void end(Thread &t);
  [[noreturn]] void leave();
  Error deadlock() const;
  Error failedCheck() const;
  std::string whoWaits(Wait wait, unsigned site) const;
  Error explained(Error error, const Thread *thread) const;
  bool isAbandoned() const;

  const Program &program_;
  Launched *launch_ = nullptr;
  Stacks stacks_;
  std::unique_ptr<Thread[]> threads_;
  std::vector<Warp> warps_;
  Fiber host_;
  Thread *running_ = nullptr;
  unsigned atBarrier_ = 0, ended_ = 0;
  unsigned holding_ = 0, held_ = 0;   // threads with a true condition at the barrier, and at the one before
  struct {
    std::uint32_t failed, number, x, y, z, element;
  } fault_{};
  std::array<std::int32_t, 3> id_{};
  std::int64_t index_ = 0;
  std::uint32_t random_ = 1;
  const Thread *failing_ = nullptr;
  const void *composer_ = nullptr;
  Error (*compose_)(const void *composer) = nullptr;
  bool abandoned_ = false;
};

}   // namespace tile::simulator
