// SPDX-License-Identifier: MIT
#include "runtime/simulator/global_writes.h"

#include <algorithm>
#include <utility>

namespace tile::simulator {
namespace {

// Where more is written between two barriers, only the last of it is looked at.
constexpr std::size_t mostWrites = std::size_t{1} << 20;

std::size_t hash(std::uintptr_t granule) { return granule * 0x9E3779B97F4A7C15u >> 20; }

}   // namespace

void GlobalWrites::begin(const Order *order) {
  order_ = order;
  copies_.clear();
  clear();
}

void GlobalWrites::clear() {
  if (writes_.size() == 1)
    return;
  writes_.assign(1, {});
  heads_.assign(1024, 0);
}

void GlobalWrites::barrier() { clear(); }

template <class Visit>
void GlobalWrites::forEachGranule(const void *at, std::size_t bytes, Visit visit) {
  auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t end = address + bytes;
  while (address < end) {
    const unsigned first = address % granule;
    const auto count = static_cast<unsigned>(std::min<std::uintptr_t>(granule - first, end - address));
    visit(address / granule, static_cast<std::uint16_t>(((1u << count) - 1) << first));
    address += count;
  }
}

template <class Visit> void GlobalWrites::forEachWrite(std::uintptr_t granule, Visit visit) {
  for (std::uint32_t i = heads_[hash(granule) & (heads_.size() - 1)]; i; i = writes_[i].next)
    if (writes_[i].granule == granule)
      visit(writes_[i]);
}

void GlobalWrites::add(const Write &write) {
  if (writes_.size() > mostWrites)
    clear();
  if (writes_.size() > heads_.size()) {
    heads_.assign(heads_.size() * 4, 0);
    for (std::uint32_t i = 1; i < writes_.size(); ++i) {
      std::uint32_t &head = heads_[hash(writes_[i].granule) & (heads_.size() - 1)];
      writes_[i].next = std::exchange(head, i);
    }
  }
  std::uint32_t &head = heads_[hash(write.granule) & (heads_.size() - 1)];
  writes_.push_back(write);
  writes_.back().next = std::exchange(head, static_cast<std::uint32_t>(writes_.size() - 1));
}

bool GlobalWrites::isKnown(const Write &write, unsigned thread) const {
  if (write.actor == thread && !write.byCopy)
    return true;
  if (!order_)   // it would have been forgotten
    return false;
  const Clock clock = write.byCopy ? copies_[write.clock] : write.clock;
  return clock && order_->isBefore(write.actor, clock, thread);
}

void GlobalWrites::write(unsigned thread, unsigned site, const void *at, std::size_t bytes) {
  const Clock now = order_ ? order_->now(thread) : 0;
  forEachGranule(at, bytes, [&](std::uintptr_t granule, std::uint16_t mask) {
    bool isOld = false;
    forEachWrite(granule, [&](Write &w) {
      if (isOld || w.actor != thread || w.byCopy)
        return;
      // What the thread writes anew it has not written before.
      if (w.clock == now || (w.bytes & ~mask) == 0) {
        w.bytes |= mask;
        w.clock = now;
        w.site = site;
        isOld = true;
      }
    });
    if (!isOld)
      add({.granule = granule,
           .site = site,
           .clock = now,
           .actor = static_cast<Actor>(thread),
           .bytes = mask});
  });
}

// A thread may read what it has written itself, though others have written it too: those are replicas of an
// element that several threads hold.
std::optional<GlobalWrites::Conflict> GlobalWrites::read(unsigned thread, const void *at, std::size_t bytes) {
  std::optional<Conflict> found;
  if (writes_.size() == 1)
    return found;
  forEachGranule(at, bytes, [&](std::uintptr_t granule, std::uint16_t mask) {
    std::uint16_t own = 0, unknown = 0;
    const Write *other = nullptr;
    forEachWrite(granule, [&](const Write &w) {
      if (w.actor == thread && !w.byCopy)
        own |= w.bytes;
      else if ((w.bytes & mask) && !isKnown(w, thread)) {
        unknown |= w.bytes;
        other = &w;
      }
    });
    if (!found && other && (unknown & mask & ~own))
      found = Conflict{other->byCopy ? Trouble::inFlight : Trouble::unordered,
                       granule * GlobalWrites::granule +
                           static_cast<unsigned>(__builtin_ctz(unknown & mask & ~own)),
                       other->actor, other->site};
  });
  return found;
}

std::optional<GlobalWrites::Conflict> GlobalWrites::readByCopy(unsigned thread, const void *at,
                                                               std::size_t bytes) {
  std::optional<Conflict> found;
  if (writes_.size() == 1 || !order_)
    return found;
  forEachGranule(at, bytes, [&](std::uintptr_t granule, std::uint16_t mask) {
    forEachWrite(granule, [&](const Write &w) {
      if (found || !(w.bytes & mask))
        return;
      const std::uintptr_t first = granule * GlobalWrites::granule;
      if (!isKnown(w, thread))
        found = Conflict{w.byCopy ? Trouble::inFlight : Trouble::unordered, first, w.actor, w.site};
      else if (!w.byCopy && !order_->isGlobalFencedBefore(w.actor, w.clock, thread))
        found = Conflict{Trouble::unfenced, first, w.actor, w.site};
    });
  });
  return found;
}

std::uint32_t GlobalWrites::newCopy() {
  copies_.push_back(0);
  return static_cast<std::uint32_t>(copies_.size() - 1);
}

std::optional<GlobalWrites::Conflict> GlobalWrites::writeByCopy(std::uint32_t copy, unsigned thread,
                                                                unsigned site, const void *at,
                                                                std::size_t bytes, bool reduces) {
  std::optional<Conflict> found;
  if (!order_)
    return found;
  forEachGranule(at, bytes, [&](std::uintptr_t granule, std::uint16_t mask) {
    bool isOld = false;
    forEachWrite(granule, [&](Write &w) {
      if (!w.byCopy || !(w.bytes & mask))
        return;
      if (w.clock != copy && !(reduces && w.reduces) && !isKnown(w, thread)) {
        if (!found)
          found = Conflict{Trouble::twice, granule * GlobalWrites::granule, w.actor, w.site};
      } else if (!isOld && (w.bytes & ~mask) == 0 && !(reduces && w.reduces && w.clock != copy)) {
        w = {.granule = granule,
             .next = w.next,
             .site = site,
             .clock = copy,
             .actor = static_cast<Actor>(thread),
             .bytes = mask,
             .byCopy = true,
             .reduces = reduces};
        isOld = true;
      }
    });
    if (!found && !isOld)
      add({.granule = granule,
           .site = site,
           .clock = copy,
           .actor = static_cast<Actor>(thread),
           .bytes = mask,
           .byCopy = true,
           .reduces = reduces});
  });
  return found;
}

void GlobalWrites::copyIsDone(std::uint32_t copy, Clock clock) { copies_[copy] = clock; }

}   // namespace tile::simulator
