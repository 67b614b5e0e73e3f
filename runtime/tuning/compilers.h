// SPDX-License-Identifier: MIT
// Threads that compile candidates, the most promising first, while whoever wants them works with those that
// are done.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tile::tuning {

class Compilers {
 public:
  // compile(0) ... compile(count - 1) begin in this order, in so many threads; it throws nothing. With one
  // job there is no thread: next() compiles, so that all happens in one order.
  Compilers(std::size_t count, int jobs, std::function<void(std::size_t)> compile);
  // Begins no more, and waits for what has begun.
  ~Compilers();
  Compilers(const Compilers &) = delete;
  Compilers &operator=(const Compilers &) = delete;

  // One that is done, in the order in which they end; waits for it. Nothing: all were given.
  std::optional<std::size_t> next();
  // Whether next() waits for no other thread.
  bool is_ready();

 private:
  void work();

  const std::size_t count_;
  const std::function<void(std::size_t)> compile_;
  std::mutex mutex_;
  std::condition_variable one_is_done_;
  std::size_t begun_ = 0, given_ = 0;
  bool stops_ = false;
  std::deque<std::size_t> done_;
  std::vector<std::jthread> threads_;   // the last member: they use the others
};

}   // namespace tile::tuning
