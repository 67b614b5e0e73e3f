// SPDX-License-Identifier: MIT
// How long a launch may take, and the line that shows that a long one goes on. A kernel without end, and a
// grid that takes years, end with an error that says where they are.
#pragma once

#include "runtime/error.h"
#include "runtime/progress.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace tile::host {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  // `seconds`: 0 is any number of them. `programs`: of the launch, or clusters of them. `title`: for the line
  // that is shown, if it is to be shown.
  TimeLimit(int seconds, std::int64_t programs, std::string title, bool shows_progress,
            Clock::time_point start = Clock::now());

  // Asked now and then, by any thread that runs programs: whether the time is up.
  bool is_up(Clock::time_point now = Clock::now());
  // So many programs have ended.
  void ended(std::int64_t programs) { ended_.fetch_add(programs, std::memory_order_relaxed); }
  // Throws where the time is up, or where it is sure to be long before the grid is done.
  void check_pace(Clock::time_point now = Clock::now());

  // "300 s, the limit of a launch"
  std::string text() const;
  // What ends a launch: with what to do about it.
  Error error(const std::string &message, Location where = {}, std::vector<Error::Note> notes = {}) const;

 private:
  void show(Clock::time_point now);

  const int seconds_;
  const std::int64_t programs_;
  const std::string title_;
  const bool shows_;
  const Clock::time_point start_;
  std::atomic<std::int64_t> ended_{0};
  std::mutex mutex_;
  std::unique_ptr<Progress> progress_;   // once it takes long
};

}   // namespace tile::host
