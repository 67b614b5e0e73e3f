// SPDX-License-Identifier: MIT
#include "runtime/simulator/cta.h"

#include "compiler/interpreter/faults.h"
#include "runtime/simulator/async_copies.h"
#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tile::simulator {

Cta::Cta(Cluster &cluster, const Program &program, unsigned rank)
    : warpgroups((program.threads + 127) / 128), cluster_(cluster), program_(program), rank_(rank),
      stacks_(program.threads), threads_(new Thread[program.threads]), warps_(program.threads / 32) {
  for (unsigned i = 0; i < program.threads; ++i) {
    threads_[i].cta = this;
    threads_[i].number = i;
    threads_[i].actor = rank * program.threads + i;
  }
}

Launched &Cta::launch() const { return cluster_.launch(); }

void Cta::begin(const std::array<std::int32_t, 3> &id) {
  id_ = id;
  if (program_.hasPartialOrder) {
    shared.begin(program_.sharedBytes, &cluster_.order, &cluster_.readers);
    mbarriers.begin(*this, program_.sharedBytes);
    namedBarriers.begin();
    for (Warpgroup &warpgroup : warpgroups)
      warpgroup.begin(*this, cluster_.order.addActor());
  } else {
    shared.begin(program_.sharedBytes);
  }
  global.begin(launch().allocations, launch().options.checkBounds);
  global.own(&fault_, sizeof fault_);
  fault_ = {};
  atBarrier_ = holding_ = 0;
  for (unsigned i = 0; i < program_.threads; ++i) {
    Thread &t = threads_[i];
    t.begin();
    t.fiber.start(stacks_[i], Stacks::bytes, begin, &t);
  }
  for (Warp &warp : warps_)
    warp = {.ready = ~0u};
}

void Cta::begin(void *thread) {
  Fiber::arrived();
  Thread &t = *static_cast<Thread *>(thread);
  t.cta->program_.entry(&t, t.cta->launch().arguments.data());
  t.cta->end(t);
}

void Cta::end(Thread &t) {
  for (const Copy &copy : t.copies)
    if (copy.copied)
      fail(t, [] { return Error("the kernel ends while an asynchronous copy is on its way", {}); });
  for (const BulkStore &store : t.stores)
    if (!store.mayOverwrite)
      fail(t, [&] { return at(store.site, "may still read when its thread ends; a wait for its group is missing"); });
  if (!t.stores.empty())   // what was read is written before the kernel is over
    cluster_.copies.wait(t, 0, false);
  if (t.matrixOps)
    warpgroups[t.number / 128].checkEnd(t);
  t.ended = true;
  ++cluster_.ended;
  Warp &warp = warps_[t.warp()];
  warp.ready &= ~(1u << t.lane());
  warp.ended |= 1u << t.lane();
  cluster_.leave(t, /*forGood=*/true);
  std::abort();   // nobody makes an ended thread ready
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
  if (launch().options.completion == Completion::random)
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
  if (launch().options.completion == Completion::random && random() % 4 == 0) {
    if (!t.copies.empty())
      landOne(t, random());
    if (!t.stores.empty())
      cluster_.copies.advanceAny(t);
    if (!cluster_.copies.empty())
      cluster_.copies.landAny(t);
  }
  if (program_.hasPartialOrder && launch().options.matrices == Completion::random && random() % 4 == 0)
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
  checkpoint(t);
  for (Warp &warp : warps_)
    warp.ready = ~0u;
  for (unsigned i = 0; i < program_.threads; ++i)
    threads_[i].wait = Wait::nothing;
  return held_;
}

void Cta::orderAll() {
  Moment moment;
  for (const Thread &t : threads())
    cluster_.order.release(t.actor, moment);
  for (const Thread &t : threads())
    cluster_.order.acquire(t.actor, moment);
  cluster_.progressed();
}

bool Cta::join(Thread &t, unsigned site, void *arrival, std::uint32_t mask) {
  Warp &warp = warps_[t.warp()];
  if (!(mask >> t.lane() & 1))
    fail(t, [&] { return at(site, fmt::format("is reached by a thread that is not of its mask {:#x}", mask)); });
  if (warp.arrived && (warp.site != site || warp.mask != mask))
    fail(t, [&] {
      return at(site, "is where a thread is while others of its warp are elsewhere",
                {{fmt::format("thread {} waits for its warp here",
                              t.warp() * 32 + static_cast<unsigned>(std::countr_zero(warp.arrived))),
                  program_.sites[warp.site].where}});
    });
  warp.site = site;
  warp.mask = mask;
  if (!warp.arrived)
    warp.arrivals.fill(nullptr);
  warp.arrivals[t.lane()] = arrival;
  warp.arrived |= 1u << t.lane();
  // Of a mask of all lanes none may be missing; of others, who has ended is not awaited.
  if ((warp.arrived | (mask == ~0u ? 0 : warp.ended & mask)) == mask)
    return true;
  t.wait = Wait::warp;
  t.site = site;
  stop(t);
  t.wait = Wait::nothing;
  return false;
}

void Cta::dismiss(unsigned warp) {
  warps_[warp].ready |= warps_[warp].arrived;
  warps_[warp].arrived = 0;
}

void Cta::pause(Thread &t) {
  checkpoint(t);
  Thread *to = cluster_.next(t, true);
  if (!to || to == &t) {
    std::this_thread::yield();
    return;
  }
  cluster_.running = to;
  t.fiber.switchTo(to->fiber);
  cluster_.running = &t;
}

void Cta::checkpoint(Thread &t) {
  (void)t;
  if (launch().failed.load(std::memory_order_relaxed) == INT64_MAX || !isAbandoned())
    return;
  cluster_.abandoned = true;
  cluster_.leaveForHost();
}

// An earlier program failed: this one is not needed. A later one did: this one may be the true first and
// goes on, but not for ever; it might wait for what the failed program was to do.
bool Cta::isAbandoned() const {
  if (launch().failed.load(std::memory_order_relaxed) < cluster_.index())
    return true;
  const std::chrono::steady_clock::duration since{
      std::chrono::steady_clock::now().time_since_epoch().count() -
      launch().failedAt.load(std::memory_order_relaxed)};
  return since > std::chrono::seconds(2);
}

std::uint32_t Cta::random() { return cluster_.random(); }

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

Error Cta::failedCheckError() const {
  if (fault_.number >= program_.checks.size())
    return Error("a check of this kernel failed, and its record is damaged", {});
  const DeviceCheck &check = program_.checks[fault_.number];
  Error error("assertion failed: " + check.message, check.where);
  if (!check.shape.empty())
    error.add_context("tile element " + interpreter::indexText(check.shape, fault_.element));
  return error;
}

std::string Cta::whoWaits(const Thread &like) const {
  std::string text;
  unsigned count = 0;
  for (unsigned i = 0; i < program_.threads;) {
    const auto waits = [&](unsigned n) { return n < program_.threads && waitsLike(threads_[n], like); };
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

bool Cta::waitsLike(const Thread &a, const Thread &b) {
  const bool hasObject = b.wait == Wait::mbarrier || b.wait == Wait::poll || b.wait == Wait::namedBarrier;
  return !a.ended && a.wait == b.wait && a.site == b.site &&
         (!hasObject || (a.object == b.object && a.detail == b.detail));
}

std::string Cta::whatFor(const Thread &t) const {
  switch (t.wait) {
  case Wait::warp:
    return ", for the rest of the warp";
  case Wait::namedBarrier: {
    const NamedBarrier &b = namedBarriers[t.detail];
    return fmt::format(", number {}, to which {} of {} threads have come", t.detail, b.arrived, b.expected);
  }
  case Wait::mbarrier:
  case Wait::poll: {
    const auto &b = *static_cast<const MBarrier *>(t.object);
    return fmt::format(", for the end of {} {} of the mbarrier at byte {} of shared memory{}, which is in its phase "
                       "{} and waits for {} of {} arrivals and for {} bytes",
                       t.detail <= 1 ? "parity" : "phase", t.detail, b.offset,
                       b.cta == this ? "" : fmt::format(" of CTA {}", b.cta->rank()), b.phase, b.pending, b.expected,
                       b.bytes);
  }
  case Wait::matrix:
    return ", for the rest of the warpgroup";
  case Wait::cluster:
    return ", for the rest of the cluster";
  default:
    return "";
  }
}

void Cta::describeWaits(std::vector<Error::Note> &notes) const {
  std::vector<const Thread *> seen;
  const std::string who = program_.ctas() > 1 ? fmt::format("CTA {}, ", rank_) : "";
  for (const Thread &t : threads()) {
    if (t.ended || std::any_of(seen.begin(), seen.end(), [&](const Thread *s) { return waitsLike(*s, t); }))
      continue;
    seen.push_back(&t);
    const Site &site = program_.sites[t.site];
    notes.push_back({fmt::format("{}{}: at this {}{}", who, whoWaits(t), site.what, whatFor(t)), site.where});
  }
}

}   // namespace tile::simulator
