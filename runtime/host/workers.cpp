// SPDX-License-Identifier: MIT
#include "runtime/host/workers.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tile::host {

struct Workers::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(unsigned)> *work = nullptr;
  unsigned wanted = 0, running = 0;
  std::uint64_t round = 0;
  bool closing = false;
  const pid_t process = getpid();      // that has the threads
  std::vector<std::jthread> started;   // last: they use all of the above

  ~Pool() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    wake.notify_all();
  }
  void serve(unsigned number);
};

Workers::Workers(unsigned threads) : threads_(threads) {}

// A fork has a copy of what the threads wait for, but not the threads. To destroy it would be to wait for
// them.
Workers::~Workers() {
  static auto *const of_parents = new std::vector<std::unique_ptr<Pool>>;   // never destroyed
  if (pool_ && pool_->process != getpid())
    of_parents->push_back(std::move(pool_));
}

void Workers::run(unsigned wanted, const std::function<void(unsigned)> &work) {
  if (wanted <= 1)
    return work(0);
  if (!pool_)
    pool_ = std::make_unique<Pool>();
  Pool &pool = *pool_;
  {
    const std::lock_guard lock(pool.mutex);
    while (pool.started.size() + 1 < wanted)
      pool.started.emplace_back(
          [&pool, number = static_cast<unsigned>(pool.started.size() + 1)] { pool.serve(number); });
    pool.work = &work;
    pool.wanted = wanted;
    pool.running = wanted - 1;
    ++pool.round;
  }
  pool.wake.notify_all();
  work(0);
  std::unique_lock lock(pool.mutex);
  pool.done.wait(lock, [&] { return pool.running == 0; });
}

void Workers::Pool::serve(unsigned number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return closing || (round != seen && number < wanted); });
    if (closing)
      return;
    seen = round;
    const auto &now = *work;
    lock.unlock();
    now(number);
    lock.lock();
    if (--running == 0)
      done.notify_all();
  }
}

}   // namespace tile::host
