// SPDX-License-Identifier: MIT
// The threads of a device: started once, at the first launch that has use for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tile::host {

class Workers {
 public:
  // The calling thread is one of them.
  explicit Workers(unsigned threads) : threads_(threads) {}
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  // What a launch is to use, unless it needs a certain number.
  unsigned threads() const { return threads_; }
  // Calls work(0) ... work(wanted - 1), each on a thread of its own, and returns when all have returned.
  // `work` does not throw.
  void run(unsigned wanted, const std::function<void(unsigned)> &work);

 private:
  void serve(unsigned number);

  const unsigned threads_;
  std::vector<std::jthread> started_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(unsigned)> *work_ = nullptr;
  unsigned wanted_ = 0, running_ = 0;
  std::uint64_t round_ = 0;
  bool closing_ = false;
};

}   // namespace tile::host
