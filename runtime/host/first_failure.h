// SPDX-License-Identifier: MIT
// The error that a launch ends with: that of the first program, in the order of their indices, that failed.
// Programs before it still run to their end, so that the report does not depend on which thread was faster;
// later ones stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>

namespace tile::host {

// Thrown to leave a program that need not be finished, because another one failed.
struct Abandoned {};

class FirstFailure {
 public:
  void add(std::int64_t program, std::exception_ptr error);

  // Whether a program before this one has failed: this one is not needed.
  bool is_before(std::int64_t program) const { return first_.load(std::memory_order_relaxed) < program; }
  // Whether a running program is to be left. It asks now and then.
  bool ends(std::int64_t program) const {
    return first_.load(std::memory_order_relaxed) != none && (is_before(program) || is_long_ago());
  }
  // Throws the error, if there is one.
  void rethrow() const {
    if (error_)
      std::rethrow_exception(error_);
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  // When a later program has failed, this one may be the true first and goes on, but not for ever: it may
  // wait for what the failed program was to do.
  bool is_long_ago() const;

  std::atomic<std::int64_t> first_{none};
  std::atomic<std::int64_t> when_{0};   // in ticks of steady_clock
  std::mutex mutex_;
  std::exception_ptr error_;
};

}   // namespace tile::host
