// SPDX-License-Identifier: MIT
#include "runtime/simulator/cta.h"

#include "compiler/interpreter/faults.h"
#include "runtime/simulator/async_copies.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tile::simulator {

Cta::Cta(const Program &program)
    : program_(program), stacks_(program.threads), threads_(new Thread[program.threads]),
      warps_(program.threads / 32) {
  for (unsigned i = 0; i < program.threads; ++i) {
    threads_[i].cta = this;
    threads_[i].number = i;
  }
}

void Cta::run(Launched &launch, std::int64_t index) {
  launch_ = &launch;
  index_ = index;
  const Grid &grid = launch.grid;
  id_ = {static_cast<std::int32_t>(index % grid.x), static_cast<std::int32_t>(index / grid.x % grid.y),
         static_cast<std::int32_t>(index / grid.x / grid.y)};
  random_ = (launch.options.seed * 2654435761u) ^ static_cast<std::uint32_t>(index * 40503 + 1);
  random_ += random_ == 0;
  shared.begin(program_.sharedBytes);
  global.begin(launch.allocations, launch.options.checkBounds);
  global.own(&fault_, sizeof fault_);
  fault_ = {};
  atBarrier_ = ended_ = holding_ = 0;
  failing_ = nullptr;
  abandoned_ = false;
  for (unsigned i = 0; i < program_.threads; ++i) {
    Thread &t = threads_[i];
    t.ended = false;
    t.wait = Wait::nothing;
    t.copies.clear();
    t.commits = 0;
    t.fiber.start(stacks_[i], Stacks::bytes, begin, &t);
  }
  for (Warp &warp : warps_)
    warp = {.ready = ~0u};
  running_ = &threads_[0];
  host_.switchTo(running_->fiber);
  if (abandoned_)
    throw Abandoned{};
  if (failing_)
    throw explained(compose_(composer_), failing_);
  if (ended_ != program_.threads)
    throw explained(deadlock(), nullptr);
  if (fault_.failed)
    throw explained(failedCheck(), nullptr);
}

void Cta::begin(void *thread) {
  Fiber::arrived();
  Thread &t = *static_cast<Thread *>(thread);
  t.cta->program_.entry(&t, t.cta->launch_->arguments.data());
  t.cta->end(t);
}

void Cta::end(Thread &t) {
  for (const Copy &copy : t.copies)
    if (copy.copied)
      fail(t, [] { return Error("the kernel ends while an asynchronous copy is on its way", {}); });
  t.ended = true;
  ++ended_;
  warps_[t.warp()].ready &= ~(1u << t.lane());
  Thread *to = next(t, false);
  running_ = to;
  t.fiber.switchTo(to ? to->fiber : host_, /*forGood=*/true);
  std::abort();   // nobody makes an ended thread ready
}

void Cta::leave() {
  running_->fiber.switchTo(host_, /*forGood=*/true);
  std::abort();   // the host starts the fiber anew
}

// The next thread that can go on: of the same warp first, so that the warp meets soon.
Thread *Cta::next(const Thread &after, bool skipWarp) {
  const auto count = static_cast<unsigned>(warps_.size());
  unsigned warp = after.warp();
  if (!skipWarp && warps_[warp].ready)
    return &threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(warps_[warp].ready))];
  if (launch_->options.completion == Completion::random)
    warp = random() % count;
  for (unsigned i = 0; i < count; ++i) {
    warp = warp + 1 == count ? 0 : warp + 1;
    if (const std::uint32_t ready = warps_[warp].ready)
      return &threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(ready))];
  }
  return nullptr;
}

void Cta::stop(Thread &t) {
  warps_[t.warp()].ready &= ~(1u << t.lane());
  if (launch_->options.completion == Completion::random && !t.copies.empty() && random() % 4 == 0)
    landOne(t, random());
  Thread *to = next(t, false);
  running_ = to;
  t.fiber.switchTo(to ? to->fiber : host_);
  running_ = &t;
}

unsigned Cta::barrier(Thread &t, unsigned site, bool condition) {
  if (atBarrier_ > 0)
    for (unsigned i = 0; i < program_.threads; ++i)
      if (const Thread &other = threads_[i]; other.wait == Wait::barrier) {
        if (other.site != site)
          fail(t, [&] {
            return at(
                site, "is not the one at which other threads of the program wait",
                {{fmt::format("thread {} waits here", other.number), program_.sites[other.site].where}});
          });
        break;
      }
  holding_ += condition;
  if (++atBarrier_ < program_.threads) {
    t.wait = Wait::barrier;
    t.site = site;
    stop(t);
    t.wait = Wait::nothing;
    return held_;
  }
  atBarrier_ = 0;
  held_ = std::exchange(holding_, 0);
  ++counters.barriers;
  shared.barrier();
  checkpoint(t);
  for (Warp &warp : warps_)
    warp.ready = ~0u;
  for (unsigned i = 0; i < program_.threads; ++i)
    threads_[i].wait = Wait::nothing;
  return held_;
}

bool Cta::join(Thread &t, unsigned site, void *arrival) {
  Warp &warp = warps_[t.warp()];
  if (warp.arrived && warp.site != site)
    fail(t, [&] {
      return at(site, "is where a thread is while others of its warp are elsewhere",
                {{fmt::format("thread {} waits for its warp here",
                              t.warp() * 32 + static_cast<unsigned>(std::countr_zero(warp.arrived))),
                  program_.sites[warp.site].where}});
    });
  warp.site = site;
  warp.arrivals[t.lane()] = arrival;
  warp.arrived |= 1u << t.lane();
  if (warp.arrived == ~0u)
    return true;
  t.wait = Wait::warp;
  t.site = site;
  stop(t);
  t.wait = Wait::nothing;
  return false;
}

void Cta::dismiss(unsigned warp) {
  warps_[warp].arrived = 0;
  warps_[warp].ready = ~0u;
}

void Cta::pause(Thread &t) {
  checkpoint(t);
  Thread *to = next(t, true);
  if (!to || to == &t) {
    std::this_thread::yield();
    return;
  }
  running_ = to;
  t.fiber.switchTo(to->fiber);
  running_ = &t;
}

void Cta::checkpoint(Thread &t) {
  (void)t;
  if (launch_->failed.load(std::memory_order_relaxed) == INT64_MAX || !isAbandoned())
    return;
  abandoned_ = true;
  leave();
}

// An earlier program failed: this one is not needed. A later one did: this one may be the true first and
// goes on, but not for ever; it might wait for what the failed program was to do.
bool Cta::isAbandoned() const {
  if (launch_->failed.load(std::memory_order_relaxed) < index_)
    return true;
  const std::chrono::steady_clock::duration since{
      std::chrono::steady_clock::now().time_since_epoch().count() -
      launch_->failedAt.load(std::memory_order_relaxed)};
  return since > std::chrono::seconds(2);
}

std::uint32_t Cta::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

// ---- reports

Error Cta::explained(Error error, const Thread *thread) const {
  std::string line = fmt::format("program ({}, {}, {})", id_[0], id_[1], id_[2]);
  if (thread)
    line += fmt::format(", thread {}", thread->number);
  error.add_context(line);
  error.add_context(fmt::format("kernel {}{}{}", program_.kernel, program_.config.empty() ? "" : ", config ",
                                program_.config));
  return error;
}

Error Cta::at(unsigned site, const std::string &message, std::vector<Error::Note> notes) const {
  const Site &s = program_.sites[site];
  return Error(s.what + " " + message, s.where, std::move(notes));
}

Error Cta::failedCheck() const {
  if (fault_.number >= program_.checks.size())
    return Error("a check of this kernel failed, and its record is damaged", {});
  const DeviceCheck &check = program_.checks[fault_.number];
  Error error("assertion failed: " + check.message, check.where);
  if (!check.shape.empty())
    error.add_context("tile element " + interpreter::indexText(check.shape, fault_.element));
  return error;
}

std::string Cta::whoWaits(Wait wait, unsigned site) const {
  std::string text;
  unsigned count = 0;
  for (unsigned i = 0; i < program_.threads;) {
    const auto waits = [&](unsigned n) {
      return n < program_.threads && !threads_[n].ended && threads_[n].wait == wait &&
             threads_[n].site == site;
    };
    if (!waits(i)) {
      ++i;
      continue;
    }
    unsigned end = i + 1;
    while (waits(end))
      ++end;
    text +=
        (text.empty() ? "" : ", ") + (end == i + 1 ? std::to_string(i) : fmt::format("{} to {}", i, end - 1));
    count += end - i;
    i = end;
  }
  return (count == 1 ? "thread " : "threads ") + text;
}

Error Cta::deadlock() const {
  std::vector<Error::Note> notes;
  std::vector<std::pair<Wait, unsigned>> seen;
  for (unsigned i = 0; i < program_.threads; ++i) {
    const Thread &t = threads_[i];
    const std::pair<Wait, unsigned> place{t.wait, t.site};
    if (t.ended || std::find(seen.begin(), seen.end(), place) != seen.end())
      continue;
    seen.push_back(place);
    const Site &site = program_.sites[t.site];
    notes.push_back({fmt::format("{}: at this {}{}", whoWaits(t.wait, t.site), site.what,
                                 t.wait == Wait::warp ? ", for the rest of the warp" : ""),
                     site.where});
  }
  Location where = notes.empty() ? Location() : notes.front().where;
  std::string message = "deadlock: no thread can go on";
  if (ended_)
    message += fmt::format("; {} of {} threads have ended", ended_, program_.threads);
  return Error(message, where, std::move(notes));
}

}   // namespace tile::simulator
