// SPDX-License-Identifier: MIT
#include "runtime/host/first_failure.h"

#include <chrono>
#include <utility>

namespace tile::host {

using Clock = std::chrono::steady_clock;

void FirstFailure::add(std::int64_t program, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (program >= first_.load(std::memory_order_relaxed))
    return;
  error_ = std::move(error);
  when_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  first_.store(program, std::memory_order_release);
}

bool FirstFailure::is_long_ago() const {
  const Clock::duration since{Clock::now().time_since_epoch().count() -
                              when_.load(std::memory_order_relaxed)};
  return since > std::chrono::seconds(2);
}

}   // namespace tile::host
