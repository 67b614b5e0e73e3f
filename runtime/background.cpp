// SPDX-License-Identifier: MIT
#include "runtime/background.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tile::background {
namespace {

class Worker {
 public:
  // Never destroyed: devices that are static may go after whatever would destroy it.
  static Worker &get() {
    static auto *worker = new Worker;
    return *worker;
  }

  bool add(Job job) {
    if (process_ != getpid())
      return false;
    const std::lock_guard lock(mutex_);
    if (has_ended_)
      return false;
    if (id_ == std::thread::id()) {
      thread_ = std::thread([this] { work(); });
      id_ = thread_.get_id();
      std::atexit([] { get().end(); });
    }
    jobs_.push_back({std::move(job), std::this_thread::get_id()});
    wake_.notify_all();
    return true;
  }

  // Whoever it is of that `is_meant`.
  template <class Which> void forget(const Which &is_meant) {
    if (process_ != getpid())   // nobody would ever say that it is done
      return;
    std::vector<Given> dropped;
    {
      std::unique_lock lock(mutex_);
      const auto rest = std::stable_partition(jobs_.begin(), jobs_.end(),
                                              [&](const Given &given) { return !is_meant(given); });
      dropped.assign(std::move_iterator(rest), std::move_iterator(jobs_.end()));
      jobs_.erase(rest, jobs_.end());
      if (std::this_thread::get_id() != id_)
        done_.wait(lock, [&] { return !running_ || !is_meant(*running_); });
    }
    for (const Given &given : dropped)
      given.job.dropped();
  }
  void forget_device(std::uint64_t device) {
    forget([device](const Given &given) { return given.job.device == device; });
  }
  void forget_thread(std::thread::id thread) {
    forget([thread](const Given &given) { return given.by == thread; });
  }

 private:
  struct Given {
    Job job;
    std::thread::id by;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (bool is_first = true;; is_first = false) {
      wake_.wait(lock, [&] { return has_ended_ || !jobs_.empty(); });
      if (has_ended_)
        return;
      Given given = std::move(jobs_.front());
      jobs_.pop_front();
      running_ = &given;
      lock.unlock();
      given.job.run();
      given.job = {.device = given.job.device};   // what it holds goes before anybody hears that it is done
      if (is_first)                               // before what it has made, for threads that do not end
        std::atexit([] { get().end(); });
      lock.lock();
      running_ = nullptr;
      done_.notify_all();
    }
  }

  void end() {
    if (process_ != getpid())
      return;
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      wake_.notify_all();
    }
    forget([](const Given &) { return true; });
    if (thread_.joinable())
      thread_.join();
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Given> jobs_;
  const Given *running_ = nullptr;
  bool has_ended_ = false;
  std::thread thread_;
  std::thread::id id_;   // its
};

struct ThreadsEnd {
  ~ThreadsEnd() { Worker::get().forget_thread(std::this_thread::get_id()); }
  bool is_made = false;
};
thread_local ThreadsEnd threads_end;

}   // namespace

bool add(Job job) {
  threads_end.is_made = true;   // it is made when it is first used, and only then destroyed
  return Worker::get().add(std::move(job));
}

void forget(std::uint64_t device) { Worker::get().forget_device(device); }

}   // namespace tile::background
