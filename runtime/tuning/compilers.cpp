// SPDX-License-Identifier: MIT
#include "runtime/tuning/compilers.h"

#include <algorithm>
#include <utility>

namespace tile::tuning {

Compilers::Compilers(std::size_t count, int jobs, std::function<void(std::size_t)> compile)
    : count_(count), compile_(std::move(compile)) {
  if (jobs > 1)
    for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(jobs), count); ++i)
      threads_.emplace_back([this] { work(); });
}

Compilers::~Compilers() {
  const std::lock_guard lock(mutex_);
  stops_ = true;
}

void Compilers::work() {
  std::unique_lock lock(mutex_);
  while (!stops_ && begun_ < count_) {
    const std::size_t n = begun_++;
    lock.unlock();
    compile_(n);
    lock.lock();
    done_.push_back(n);
    one_is_done_.notify_one();
  }
}

std::optional<std::size_t> Compilers::next() {
  std::unique_lock lock(mutex_);
  if (given_ == count_)
    return std::nullopt;
  ++given_;
  if (threads_.empty()) {
    const std::size_t n = begun_++;
    lock.unlock();
    compile_(n);
    return n;
  }
  one_is_done_.wait(lock, [&] { return !done_.empty(); });
  const std::size_t n = done_.front();
  done_.pop_front();
  return n;
}

bool Compilers::is_ready() {
  const std::lock_guard lock(mutex_);
  return threads_.empty() || given_ == count_ || !done_.empty();
}

}   // namespace tile::tuning
