// SPDX-License-Identifier: MIT
#include "runtime/host/workers.h"

namespace tile::host {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
}

void Workers::run(unsigned wanted, const std::function<void(unsigned)> &work) {
  if (wanted > 1) {
    const std::lock_guard lock(mutex_);
    while (started_.size() + 1 < wanted)
      started_.emplace_back([this, number = static_cast<unsigned>(started_.size() + 1)] { serve(number); });
    work_ = &work;
    wanted_ = wanted;
    running_ = wanted - 1;
    ++round_;
  }
  if (wanted > 1)
    wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
}

void Workers::serve(unsigned number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return closing_ || (round_ != seen && number < wanted_); });
    if (closing_)
      return;
    seen = round_;
    const auto &work = *work_;
    lock.unlock();
    work(number);
    lock.lock();
    if (--running_ == 0)
      done_.notify_all();
  }
}

}   // namespace tile::host
