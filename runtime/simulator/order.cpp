// SPDX-License-Identifier: MIT
#include "runtime/simulator/order.h"

#include <algorithm>

namespace tile::simulator {
namespace {

inline __attribute__((always_inline)) void joinAny(Clock *to, const Clock *from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = std::max(to[i], from[i]);
}
void joinPlainly(Clock *to, const Clock *from, std::size_t count) { joinAny(to, from, count); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) void joinAvx2(Clock *to, const Clock *from, std::size_t count) {
  joinAny(to, from, count);
}
#endif
// Every wait of every thread comes here.
void joinClocks(Clock *to, const Clock *from, std::size_t count) {
#if defined(__x86_64__)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  if (hasAvx2)
    return joinAvx2(to, from, count);
#endif
  joinPlainly(to, from, count);
}

}   // namespace

void Moment::join(const Clock *other, std::size_t count) {
  if (clocks_.size() < count)
    clocks_.resize(count);
  joinClocks(clocks_.data(), other, count);
}

void Moment::see(Actor actor, Clock clock) {
  if (clocks_.size() <= actor)
    clocks_.resize(actor + std::size_t{1});
  clocks_[actor] = std::max(clocks_[actor], clock);
}

void Order::begin(unsigned threads) {
  threads_ = actors_ = threads;
  stride_ = (threads + 64 + 15) / 16 * 16;
  clocks_.assign(threads * stride_, 0);
  for (unsigned t = 0; t < threads; ++t)
    row(t)[t] = 1;
  for (Fences *fences : {&fences_, &globalFences_, &knownAtFence_})
    fences->assign(threads, {});
}

Actor Order::addActor() {
  if (actors_ == stride_) {
    const std::size_t wider = stride_ * 2;
    std::vector<Clock> clocks(threads_ * wider);
    for (unsigned t = 0; t < threads_; ++t)
      std::copy_n(row(t), stride_, clocks.data() + t * wider);
    clocks_ = std::move(clocks);
    stride_ = wider;
  }
  return static_cast<Actor>(actors_++);
}

void Order::release(unsigned thread, Moment &moment) {
  moment.join(row(thread), actors_);
  ++row(thread)[thread];
}

// The own clock moves on with each change of what is known: who asks twice at one time may reuse the answer.
void Order::acquire(unsigned thread, const Moment &moment) {
  Clock *mine = row(thread);
  const std::vector<Clock> &other = moment.clocks();
  joinClocks(mine, other.data(), other.size());
  ++mine[thread];
}

void Order::see(unsigned thread, Actor actor, Clock clock) {
  Clock *mine = row(thread);
  if (mine[actor] >= clock)
    return;
  mine[actor] = clock;
  ++mine[thread];
}

void Order::fence(unsigned thread, unsigned fenced) {
  Clock &clock = row(thread)[thread];
  ++clock;
  if (fenced & ofShared)
    fences_[thread].push_back(clock);
  if (fenced & ofGlobal) {
    globalFences_[thread].push_back(clock);
    knownAtFence_[thread].assign(row(thread), row(thread) + actors_);
  }
  ++clock;
}

bool Order::isFencedBefore(const Fences &all, Actor writer, Clock clock, unsigned thread) const {
  if (writer >= threads_)
    return true;   // an asynchronous copy wrote it
  const std::vector<Clock> &fences = all[writer];
  const auto first = std::lower_bound(fences.begin(), fences.end(), clock);
  return first != fences.end() && isBefore(writer, *first, thread);
}

bool Order::isGlobalFencedBefore(Actor writer, Clock clock, unsigned thread) const {
  const std::vector<Clock> &known = knownAtFence_[thread];
  return (writer < known.size() && known[writer] >= clock) ||
         isFencedBefore(globalFences_, writer, clock, thread);
}

void ReaderSets::begin() {
  sets_.assign(1, {});
  steps_.assign(4096, {});
  checked_ = 0;
}

ReaderSets::Set ReaderSets::add(Set set, Reader reader, unsigned thread, const Order &order) {
  const std::size_t hash =
      (set * 0x9E3779B1u ^ reader.actor * 0x85EBCA77u ^ reader.clock * 0xC2B2AE3Du) >> 7 & 4095;
  Step &step = steps_[hash];
  if (step.isValid && step.from == set && step.reader == reader && step.thread == thread)
    return step.to;
  std::vector<Reader> readers;
  for (const Reader &r : sets_[set])
    if (r.actor != reader.actor && !order.isBefore(r.actor, r.clock, thread))
      readers.push_back(r);
  readers.push_back(reader);
  Set to = static_cast<Set>(sets_.size());
  if (readers == sets_[set])
    to = set;
  else
    sets_.push_back(std::move(readers));
  step = {set, to, reader, thread, true};
  return to;
}

const ReaderSets::Reader *ReaderSets::unknownTo(Set set, unsigned thread, const Order &order) {
  if (set == 0 || (set == checked_ && thread == checkedThread_ && order.now(thread) == checkedAt_))
    return nullptr;
  for (const Reader &r : sets_[set])
    if (!order.isBefore(r.actor, r.clock, thread))
      return &r;
  checked_ = set;
  checkedThread_ = thread;
  checkedAt_ = order.now(thread);
  return nullptr;
}

}   // namespace tile::simulator
