// SPDX-License-Identifier: MIT
// Which loop it is that does not end. When the time of a launch is up, one thread is watched for a moment: of
// the loops that it goes round, the outermost goes round least often.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace tile::simulator {

struct Thread;

class LoopWatch {
 public:
  // A new program.
  void begin() { watched_ = nullptr; }
  // The thread is on the way back of the loop at `site`, and has been on some since the last time. Fails when
  // the time is up.
  void lookAtTime(Thread &t, unsigned site);

 private:
  struct Count {
    unsigned site = 0;
    std::uint64_t iterations = 0;
  };
  [[noreturn]] void fail(Thread &t);

  const Thread *watched_ = nullptr;
  std::chrono::steady_clock::time_point until_;
  std::uint64_t iterations_ = 0;   // of the watched thread, in all loops
  std::vector<Count> counts_;
};

}   // namespace tile::simulator
