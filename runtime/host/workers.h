// SPDX-License-Identifier: MIT
// The threads of a device: started once, at the first launch that has use for them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tile::host {

class Workers {
 public:
  // The calling thread is one of them.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  // What a launch is to use, unless it needs a certain number.
  unsigned threads() const { return threads_; }
  // Calls work(0) ... work(wanted - 1), each on a thread of its own, and returns when all have returned.
  // `work` does not throw. Not in a fork of the process that started the threads: they stayed there.
  void run(unsigned wanted, const std::function<void(unsigned)> &work);

 private:
  struct Pool;

  const unsigned threads_;
  std::unique_ptr<Pool> pool_;   // none before there are threads
};

}   // namespace tile::host
