// SPDX-License-Identifier: MIT
#include "runtime/simulator/mbarriers.h"

#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tile::simulator {
namespace {

std::string named(const MBarrier &b) {
  return fmt::format("the mbarrier at byte {} of shared memory", b.offset);
}

}   // namespace

void MBarriers::begin(Cta &cta, std::size_t sharedBytes) {
  cta_ = &cta;
  places_.clear();
  places_.resize(sharedBytes / 8);
  live_.clear();
}

void MBarriers::init(Thread &t, const void *at, std::uint32_t count, unsigned site) {
  std::size_t offset;
  const auto refuse = [&](const auto &why) { t.cta->fail(t, [&] { return t.cta->at(site, why()); }); };
  if (!cta_->shared.contains(at, 8, offset) || offset % 8 != 0)
    refuse([&] { return std::string("is not at a multiple of 8 bytes inside its own shared memory"); });
  if (count < 1 || count > MBarrier::mostArrivals)
    refuse([&] {
      return fmt::format("asks for {} arrivals; 1 to {} are possible", count, MBarrier::mostArrivals);
    });
  std::unique_ptr<MBarrier> &place = places_[offset / 8];
  if (place)
    refuse([&] {
      return fmt::format("initialises {} again while it is in use; an inval before it is missing",
                         named(*place));
    });
  const std::byte zeros[8] = {};
  if (const auto conflict = cta_->shared.write(t.actor, site, offset, zeros, 8))
    t.cta->fail(t, [&] { return conflicting(*t.cta, site, conflict, true); });
  cta_->shared.place(offset, true);
  Order &order = t.cta->cluster().order;
  place = std::make_unique<MBarrier>(MBarrier{
      .cta = cta_, .offset = static_cast<std::uint32_t>(offset), .expected = count, .pending = count});
  place->actor = order.addActor();
  place->initialiser = t.actor;
  place->initialised = order.now(t.actor);
  place->site = site;
  live_.push_back(place.get());
}

void MBarriers::inval(Thread &t, MBarrier &b, unsigned site) {
  if (b.copies || !b.waiting.empty())
    t.cta->fail(t, [&] {
      return t.cta->at(site, fmt::format("ends {} while {} may still use it", named(b),
                                         b.copies ? "a copy in flight" : "a waiting thread"));
    });
  live_.erase(std::find(live_.begin(), live_.end(), &b));
  cta_->shared.place(b.offset, false);
  places_[b.offset / 8].reset();
}

MBarrier &MBarriers::find(Thread &t, const void *at, unsigned site, bool forCopy) {
  std::size_t offset;
  if (!cta_->shared.contains(at, 8, offset))
    t.cta->fail(t, [&] { return outsideOfShared(*cta_, site, at, 8); });
  MBarrier *b = offset % 8 == 0 ? places_[offset / 8].get() : nullptr;
  if (!b)
    t.cta->fail(t, [&] {
      return t.cta->at(site,
                       fmt::format("uses byte {} of shared memory as an mbarrier, but there is "
                                   "no mbarrier yet; a barrier between its init and its use may be missing",
                                   offset));
    });
  if (!t.cta->cluster().order.isBefore(static_cast<Actor>(b->initialiser), b->initialised, t.actor))
    t.cta->fail(t, [&] {
      return t.cta->at(
          site,
          fmt::format("uses {}, but its init is not visible to the thread; a barrier between init "
                      "and use is missing",
                      named(*b)),
          {{"it was initialised here", t.cta->program().sites[b->site].where}});
    });
  if (forCopy && !b->isFenced)
    t.cta->fail(t, [&] {
      return t.cta->at(
          site,
          fmt::format("uses {}, but no fence made its init visible to bulk copies; its thread lacks "
                      "fence.mbarrier.init or fence.proxy of async",
                      named(*b)),
          {{"it was initialised here", t.cta->program().sites[b->site].where}});
    });
  return *b;
}

void MBarriers::fence(const Thread &t) {
  for (MBarrier *b : live_)
    b->isFenced |= b->initialiser == t.actor;
}

// The end of a phase, if it has come: who waited may go on, knowing what those who arrived had done.
void MBarriers::settle(MBarrier &b) {
  if (b.pending != 0 || b.bytes != 0)
    return;
  ++b.phase;
  b.pending = b.expected;
  std::swap(b.before, b.now);
  b.now.all.clear();
  b.now.areOfThreads = true;
  b.gathering.see(b.actor, b.phase);
  b.released.join(b.gathering);
  for (Thread *waiting : b.waiting)
    waiting->cta->wake(*waiting);
  b.waiting.clear();
  b.cta->cluster().progressed();
}

// Where only threads ended it, who knows of all of them knows that it is over. Of another CTA's mbarrier a
// thread may know by a copy that has landed, which tells it nothing else: such arrivals are not looked at.
void MBarriers::checkPhase(const Thread &t, const MBarrier &b, unsigned site) {
  const Order &order = t.cta->cluster().order;
  if (b.phase == 0 || b.hasRelaxedWaits || b.cta != t.cta || order.seen(t.actor, b.actor) >= b.phase)
    return;
  const auto isKnown = [&](const MBarrier::Arrivals::One &one) {
    return order.isBefore(one.actor, one.clock, t.actor);
  };
  if (b.before.areOfThreads && std::all_of(b.before.all.begin(), b.before.all.end(), isKnown))
    return;
  t.cta->fail(t, [&] {
    return t.cta->at(
        site,
        fmt::format("reaches {} without knowing that phase {} is over: another schedule counts it in "
                    "that phase; a wait for the end of that phase is missing before it",
                    named(b), b.phase - 1),
        {{"an arrival of that phase is here", t.cta->program().sites[b.before.site].where}});
  });
}

void MBarriers::expect(Thread &t, MBarrier &b, std::int64_t bytes, unsigned site) {
  b.bytes += bytes;
  if (b.bytes > MBarrier::mostBytes || b.bytes < -MBarrier::mostBytes)
    t.cta->fail(t, [&] {
      return t.cta->at(site, fmt::format("brings {} to {} outstanding bytes; it counts up to {}", named(b),
                                         b.bytes, MBarrier::mostBytes));
    });
  settle(b);
}

void MBarriers::complete(Thread &t, MBarrier &b, std::int64_t bytes, unsigned site) {
  --b.copies;
  expect(t, b, -bytes, site);
}

std::uint32_t MBarriers::arrive(Thread &t, MBarrier &b, std::uint32_t count, std::int64_t bytes,
                                unsigned flags, unsigned site) {
  const std::uint32_t phase = b.phase;
  const auto refuse = [&](const auto &why) { t.cta->fail(t, [&] { return t.cta->at(site, why()); }); };
  if (count == 0 || count > b.pending)
    refuse([&] {
      return fmt::format(
          "is {} at {}, which in its phase {} waits for {} more of {} and for {} bytes: too many "
          "arrivals",
          count == 1 ? "one" : std::to_string(count), named(b), b.phase, b.pending, b.expected, b.bytes);
    });
  if (flags & noComplete && count == b.pending && b.bytes == -bytes)
    refuse([&] {
      return fmt::format("ends the phase of {}, but an arrival without completion must not do so", named(b));
    });
  if (b.cta != t.cta && !(flags & (ofCluster | relaxed)))
    refuse([&] {
      return fmt::format(
          "is one at {} of CTA {}, with the scope of its own CTA: earlier writes of the thread may "
          "not be visible there; its scope must be the cluster",
          named(b), b.cta->rank());
    });
  checkPhase(t, b, site);
  Order &order = t.cta->cluster().order;
  b.now.all.push_back({static_cast<Actor>(t.actor), order.now(t.actor)});
  b.now.areOfThreads &= bytes == 0 && !(flags & relaxed);
  b.now.site = site;
  if (!(flags & relaxed))
    order.release(t.actor, b.gathering);
  if (bytes) {   // before the arrival, so that the phase cannot end in between
    b.bytes += bytes;
    if (b.bytes > MBarrier::mostBytes)
      refuse([&] {
        return fmt::format("brings {} to {} outstanding bytes; it counts up to {}", named(b), b.bytes,
                           MBarrier::mostBytes);
      });
  }
  b.pending -= count;
  if (flags & drop) {
    if (count >= b.expected)
      refuse([&] { return fmt::format("leaves no arrival for later phases of {}", named(b)); });
    b.expected -= count;
  }
  settle(b);
  return phase;
}

void MBarriers::arriveLater(Thread &t, MBarrier &b, unsigned site) {
  --b.copies;
  b.now.areOfThreads = false;
  if (b.pending == 0)
    t.cta->fail(t, [&] { return t.cta->at(site, fmt::format("is one arrival too many at {}", named(b))); });
  --b.pending;
  settle(b);
}

bool MBarriers::wait(Thread &t, MBarrier &b, std::uint64_t phase, bool isState, bool blocks, bool isRelaxed,
                     unsigned site) {
  if (!isState && phase > 1)
    t.cta->fail(
        t, [&] { return t.cta->at(site, fmt::format("asks for parity {}; a parity is 0 or 1", phase)); });
  // A state is the number of a phase. A parity names the phase that runs or the one before it.
  const auto isOver = [&] { return isState ? b.phase > phase : (b.phase & 1) != phase; };
  while (!isOver()) {
    t.object = &b;
    t.detail = static_cast<std::uint32_t>(phase);
    b.waiting.push_back(&t);
    const bool woken = t.cta->block(t, blocks ? Wait::mbarrier : Wait::poll, site);
    if (!woken) {   // everybody waits: a poll finds that the phase is not over
      b.waiting.erase(std::find(b.waiting.begin(), b.waiting.end(), &t));
      return false;
    }
  }
  Order &order = t.cta->cluster().order;
  b.hasRelaxedWaits |= isRelaxed;
  if (!isRelaxed && b.phase && order.seen(t.actor, b.actor) < b.phase)
    order.acquire(t.actor, b.released);
  return true;
}

}   // namespace tile::simulator
