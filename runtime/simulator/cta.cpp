// SPDX-License-Identifier: MIT
#include "runtime/simulator/cta.h"

#include "runtime/simulator/async_copies.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/recorder.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tile::simulator {

Cta::Cta(Cluster &cluster, const Program &program, unsigned rank)
    : shared(cluster.workspace().sharedOf(rank)), warpgroups((program.threads + 127) / 128),
      cluster_(cluster), program_(program), rank_(rank), threads_(new Thread[program.threads]),
      warps_(program.threads / 32) {
  for (unsigned i = 0; i < program.threads; ++i) {
    threads_[i].cta = this;
    threads_[i].number = i;
    threads_[i].actor = rank * program.threads + i;
  }
}

host::Launched &Cta::launch() const { return cluster_.launch(); }
const SimulatorOptions &Cta::options() const { return cluster_.options(); }

void Cta::begin(const std::array<std::int32_t, 3> &id) {
  id_ = id;
  if (program_.hasPartialOrder) {
    shared.begin(program_.shared_bytes, &cluster_.order, &cluster_.readers);
    mbarriers.begin(*this, program_.shared_bytes);
    namedBarriers.begin();
    mapCopies_.assign(program_.threads / 32, {});
    for (Warpgroup &warpgroup : warpgroups)
      warpgroup.begin(*this, cluster_.order.addActor());
  } else {
    shared.begin(program_.shared_bytes);
  }
  global.begin(launch().engine.allocations, options().check_bounds);
  global.own(&fault_, sizeof fault_);
  if (!options().count_accesses)
    accesses.reset();
  else if (accesses)
    accesses->realign();
  else
    accesses = std::make_unique<AccessLog>(program_.threads / 32, program_.sites.size());
  const Stacks &stacks = cluster_.workspace().stacks;
  fault_ = {};
  outsideUses_.clear();
  atBarrier_ = holding_ = ended_ = 0;
  for (unsigned i = 0; i < program_.threads; ++i) {
    Thread &t = threads_[i];
    t.begin();
    t.awaitsKernels = program_.starts_early;
    t.fiber.start(stacks[stackOf(t)], stacks.bytes(), begin, &t);
  }
  for (Warp &warp : warps_)
    warp = {.ready = ~0u, .meetings = std::move(warp.meetings)};
}

void Cta::begin(void *thread) {
  Fiber::arrived();
  Thread &t = *static_cast<Thread *>(thread);
  t.cta->program_.entry(&t, t.cta->launch().arguments.data());
  t.cta->end(t);
}

void Cta::end(Thread &t) {
  if (!t.copies.empty())   // also of nothing but zeros: what comes after a drain that is missing may need
                           // their place
    fail(t, [] { return Error("the kernel ends while an asynchronous copy is in flight", {}); });
  for (const BulkStore &store : t.stores)
    if (!store.mayOverwrite)
      fail(t, [&] {
        return at(store.site, "may still read when its thread ends; a wait for its group is missing");
      });
  if (t.awaitsKernels)
    fail(t, [] {
      return Error("a thread ends without waiting for the kernels before this one: this kernel may end "
                   "while they still run",
                   {});
    });
  if (!t.stores.empty())   // what was read is written before the kernel is over
    cluster_.copies.wait(t, 0, false);
  if (t.matrixOps)
    warpgroups[t.number / 128].checkEnd(t);
  Stacks &stacks = cluster_.workspace().stacks;
  if (stacks.overran(stackOf(t))) [[unlikely]]
    fail(t, [&] {
      return Error(fmt::format("a thread needs more than the {} KiB of its stack", stacks.bytes() >> 10), {});
    });
  t.ended = true;
  if (recorder)
    recorder->end(t);
  ++ended_;
  if (!outsideUses_.empty()) [[unlikely]]
    checkUsesFromOutside(t);
  cluster_.ends(t);
  Warp &warp = warps_[t.warp()];
  warp.ready &= ~(1u << t.lane());
  warp.ended |= 1u << t.lane();
  cluster_.leave(t, /*forGood=*/true);
  std::abort();   // nobody makes an ended thread ready
}

void Cta::useFromOutside(Thread &t, unsigned site) {
  const auto refuse = [&](const char *why) {
    t.cta->fail(t, [&] {
      return t.cta->at(
          site, fmt::format("uses shared memory of CTA {}, which {}; a barrier of the cluster is missing",
                            rank_, why));
    });
  };
  const Order &order = cluster_.order;
  constexpr const char *notBegun = "may not have begun yet";
  if (!program_.hasPartialOrder)
    refuse(notBegun);
  if (hasEnded())
    refuse("has ended");
  if (!(t.begunCtas >> rank_ & 1)) {
    const auto knows = [&](const Thread &other) {
      return order.isBefore(static_cast<Actor>(other.actor), 1, t.actor);
    };
    if (std::none_of(threads().begin(), threads().end(), knows))
      refuse(notBegun);
    t.begunCtas |= 1u << rank_;
  }
  const auto use = std::find_if(outsideUses_.begin(), outsideUses_.end(),
                                [&](const OutsideUse &u) { return u.actor == t.actor; });
  if (use == outsideUses_.end())
    outsideUses_.push_back({static_cast<Actor>(t.actor), order.now(t.actor), site});
  else
    *use = {static_cast<Actor>(t.actor), order.now(t.actor), site};
}

// The memory is there as long as one of the threads is, and this one was when it came to know of the use.
void Cta::checkUsesFromOutside(const Thread &t) {
  std::erase_if(outsideUses_, [&](const OutsideUse &use) {
    return cluster_.order.isBefore(use.actor, use.clock, t.actor);
  });
  if (!hasEnded() || outsideUses_.empty())
    return;
  fail(t, [&] {
    const OutsideUse &use = outsideUses_.front();
    return at(use.site,
              fmt::format("uses shared memory of CTA {}, which may have ended: none of its threads waits "
                          "for this use; a barrier of the cluster is missing",
                          rank_));
  });
}

void Cta::fail(const Thread &t, const void *composer, Error (*compose)(const void *)) {
  cluster_.failure = {&t, composer, compose};
  cluster_.leaveForHost();
}

// The next thread that can go on: of the same warp first, so that the warp meets soon.
Thread *Cta::ready(unsigned warp, bool skipWarp) {
  const auto count = static_cast<unsigned>(warps_.size());
  if (!skipWarp && warps_[warp].ready)
    return &threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(warps_[warp].ready))];
  if (options().completion == Completion::random)
    warp = random() % count;
  for (unsigned i = 0; i < count; ++i) {
    warp = warp + 1 == count ? 0 : warp + 1;
    if (const std::uint32_t ready = warps_[warp].ready)
      return &threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(ready))];
  }
  return nullptr;
}

Thread *Cta::readyAtRandom(unsigned warp, std::uint32_t choice) {
  std::uint32_t ready = warps_[warp].ready;
  if (!ready)
    return nullptr;
  for (unsigned skip = choice % static_cast<unsigned>(std::popcount(ready)); skip; --skip)
    ready &= ready - 1;
  return &threads_[warp * 32 + static_cast<unsigned>(std::countr_zero(ready))];
}

Thread *Cta::readyFirstLane(unsigned warp) { return warps_[warp].ready & 1 ? &threads_[warp * 32] : nullptr; }

void Cta::stop(Thread &t) {
  warps_[t.warp()].ready &= ~(1u << t.lane());
  if (options().completion == Completion::random && random() % 4 == 0) {
    if (!t.copies.empty())
      landOne(t, random());
    if (!t.stores.empty())
      cluster_.copies.advanceAny(t);
    if (!cluster_.copies.empty())
      cluster_.copies.landAny(t);
  }
  if (program_.hasPartialOrder && options().matrix_completion == Completion::random && random() % 4 == 0)
    warpgroups[random() % warpgroups.size()].completeOne();
  cluster_.leave(t);
}

bool Cta::block(Thread &t, Wait wait, unsigned site) {
  t.wait = wait;
  t.site = site;
  checkpoint(t);
  stop(t);
  const bool woken = t.wait == Wait::nothing;
  t.wait = Wait::nothing;
  return woken;
}

void Cta::wake(Thread &t) {
  t.wait = Wait::nothing;
  warps_[t.warp()].ready |= 1u << t.lane();
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
  if (program_.hasPartialOrder)
    orderAll();
  else
    shared.barrier();
  if (GlobalWrites *writes = cluster_.writes(); writes && !program_.hasPartialOrder) [[unlikely]]
    writes->barrier();
  if (accesses)
    accesses->realign();
  checkpoint(t);
  for (Warp &warp : warps_)
    warp.ready = ~0u;
  for (unsigned i = 0; i < program_.threads; ++i)
    threads_[i].wait = Wait::nothing;
  return held_;
}

std::pair<Actor, Clock> Cta::mapCopy(unsigned warp) {
  auto &[actor, clock] = mapCopies_[warp];
  if (!clock)
    actor = cluster_.order.addActor();
  return {actor, ++clock};
}

void Cta::orderAll() {
  Moment moment;
  for (const Thread &t : threads())
    cluster_.order.release(t.actor, moment);
  for (const Thread &t : threads())
    cluster_.order.acquire(t.actor, moment);
  cluster_.progressed();
}

Cta::Meeting &Cta::Warp::of(std::uint32_t mask) {
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  if (meetings.size() <= first)
    meetings.resize(first + 1);
  return meetings[first];
}

Cta::Meeting *Cta::join(Thread &t, unsigned site, void *arrival, std::uint32_t mask) {
  Warp &warp = warps_[t.warp()];
  const std::uint32_t self = 1u << t.lane();
  if (!(mask & self))
    fail(t,
         [&] { return at(site, fmt::format("is reached by a thread that is not in its mask {:#x}", mask)); });
  Meeting &meeting = warp.of(mask);
  if (!(warp.awaited & mask)) {
    warp.awaited |= mask;
    meeting.site = site;
    meeting.mask = mask;
    meeting.arrived = 0;
    meeting.arrivals.fill(nullptr);
  } else if (!meeting.arrived || meeting.mask != mask || meeting.site != site) {
    failToMeet(t, site, mask);
  }
  meeting.arrivals[t.lane()] = arrival;
  meeting.arrived |= self;
  // Of a mask of all lanes none may be missing; of others, who has ended is not awaited.
  if ((meeting.arrived | (mask == ~0u ? 0 : warp.ended & mask)) == mask) {
    if (mask == ~0u && accesses)
      accesses->realign(t.warp());
    return &meeting;
  }
  t.wait = Wait::warp;
  t.site = site;
  t.detail = mask;
  stop(t);
  t.wait = Wait::nothing;
  return nullptr;
}

// Somebody waits for this thread elsewhere, or with another mask.
void Cta::failToMeet(const Thread &t, unsigned site, std::uint32_t mask) {
  const Warp &warp = warps_[t.warp()];
  const auto other = std::find_if(warp.meetings.begin(), warp.meetings.end(),
                                  [&](const Meeting &m) { return m.arrived && (m.mask & mask); });
  fail(t, [&] {
    const unsigned thread = t.warp() * 32 + static_cast<unsigned>(std::countr_zero(other->arrived));
    if (other->site == site)
      return at(site, fmt::format("is reached with mask {:#x} while thread {} waits there with mask {:#x}",
                                  mask, thread, other->mask));
    return at(site, "is reached by a thread while others of its warp are elsewhere",
              {{fmt::format("thread {} waits for {} here", thread,
                            other->mask == ~0u ? "its warp" : fmt::format("mask {:#x}", other->mask)),
                program_.sites[other->site].where}});
  });
}

void Cta::dismiss(unsigned warp, Meeting &meeting) {
  warps_[warp].ready |= meeting.arrived;
  warps_[warp].awaited &= ~meeting.mask;
  meeting.arrived = 0;
}

void Cta::pause(Thread &t) {
  checkpoint(t);
  if (!cluster_.pause(t))
    std::this_thread::yield();
}

void Cta::checkpoint(Thread &t) {
  (void)t;
  if (!launch().failure.ends(cluster_.index()))
    return;
  cluster_.abandoned = true;
  cluster_.leaveForHost();
}

std::uint32_t Cta::random() { return cluster_.random(); }

}   // namespace tile::simulator
