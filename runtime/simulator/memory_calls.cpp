// SPDX-License-Identifier: MIT
// Accesses to memory, checked.
#include "runtime/host/pointers.h"
#include "runtime/numeric_float.h"
#include "runtime/simulator/async_copies.h"
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/memory_faults.h"
#include "runtime/simulator/recorder.h"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace tile::simulator {
namespace {

// A lane without a true predicate asks for nothing, but is there.
void count(Thread *t, unsigned site, AccessKind kind, std::uint64_t at, std::size_t bytes,
           bool isActive = true) {
  if (AccessLog *log = t->cta->accesses.get())
    log->add(t->warp(), t->lane(), site, kind, at, static_cast<std::uint32_t>(bytes), isActive);
  if (Recorder *recorder = t->cta->recorder)
    recorder->access(*t, kind, at, static_cast<std::uint32_t>(bytes), isActive);
}
void count(Thread *t, unsigned site, AccessKind kind, const std::byte *at, std::size_t bytes) {
  count(t, site, kind, reinterpret_cast<std::uintptr_t>(at), bytes);
}

std::byte *reach(Thread *t, Pointer pointer, std::size_t count, std::size_t size, unsigned site) {
  refuseTooEarly(*t, site);
  if (std::byte *place = t->cta->global.reach(pointer, count * size, count * size)) [[likely]]
    return place;
  t->cta->fail(*t, [&] { return outsideOfBuffer(*t->cta, site, pointer, count, size); });
}

void refuseUnwritten(Thread *t, const std::byte *place, std::size_t count, std::size_t size, unsigned site) {
  if (const auto at = t->cta->global.first_unwritten(place, count * size))
    t->cta->fail(*t, [&] { return unwritten(*t->cta, site, place + *at, size); });
}

void refuseUnordered(Thread *t, const std::byte *place, std::size_t bytes, std::size_t size, unsigned site) {
  if (GlobalWrites *writes = t->cta->cluster().writes()) [[unlikely]]
    if (const auto conflict = writes->read(t->actor, place, bytes))
      t->cta->fail(*t, [&] { return conflicting(*t->cta, site, *conflict, size); });
}

// Whether it is an access of one who waits for another program, or tells one: those are ordered by it.
bool synchronizes(Thread *t, const std::byte *place, std::size_t bytes, bool isSignal) {
  Cluster &cluster = t->cta->cluster();
  const bool asks = std::exchange(t->asksAnew, false) || isSignal;
  if (ProgramRaces::Program *program = asks ? cluster.racing() : nullptr)
    cluster.races().synchronize(*program, place, bytes);
  return asks;
}

std::byte *readable(Thread *t, Pointer pointer, std::size_t elements, std::size_t size, unsigned site) {
  std::byte *place = reach(t, pointer, elements, size, site);
  refuseUnwritten(t, place, elements, size, site);
  refuseUnordered(t, place, elements * size, size, site);
  if (!synchronizes(t, place, elements * size, false))
    refuseRace(*t, place, elements * size, size, site);
  ++t->cta->counters.globalReads;
  t->cta->counters.bytesRead += elements * size;
  count(t, site, AccessKind::globalLoad, place, elements * size);
  return place;
}
void write(Thread *t, Pointer pointer, std::size_t elements, std::size_t size, const void *words,
           unsigned site) {
  std::byte *place = reach(t, pointer, elements, size, site);
  if (!synchronizes(t, place, elements * size, false))
    refuseRace(*t, place, static_cast<const std::byte *>(words), elements * size, size, site);
  t->cta->global.mark_written(place, elements * size);
  ++t->cta->counters.globalWrites;
  t->cta->counters.bytesWritten += elements * size;
  count(t, site, AccessKind::globalStore, place, elements * size);
  if (GlobalWrites *writes = t->cta->cluster().writes()) [[unlikely]]
    writes->write(t->actor, site, place, elements * size);
  if (t->cta->program().changesMaps) [[unlikely]] {
    Cluster &cluster = t->cta->cluster();
    cluster.maps.changed(static_cast<Actor>(t->actor), cluster.order.now(t->actor), site,
                         reinterpret_cast<std::uintptr_t>(place), elements * size);
  }
  std::memcpy(place, words, elements * size);
}

// ---- global memory

void *globalRead(Thread *t, Pointer pointer, std::uint32_t bytes, std::uint32_t size, std::uint32_t site) {
  return readable(t, pointer, bytes / size, size, site);
}
void globalWrite(Thread *t, Pointer pointer, std::uint32_t bytes, std::uint32_t size, const void *words,
                 std::uint32_t site) {
  write(t, pointer, bytes / size, size, words, site);
}
void load(Thread *t, Pointer pointer, std::uint32_t predicate, std::uint32_t elements, std::uint32_t size,
          void *words, std::uint32_t site) {
  if (predicate)
    std::memcpy(words, readable(t, pointer, elements, size, site), std::size_t{elements} * size);
  else {
    t->asksAnew = false;
    count(t, site, AccessKind::globalLoad, 0, std::size_t{elements} * size, false);
  }
}
void store(Thread *t, Pointer pointer, std::uint32_t predicate, std::uint32_t elements, std::uint32_t size,
           const void *words, std::uint32_t site) {
  if (predicate)
    write(t, pointer, elements, size, words, site);
  else
    count(t, site, AccessKind::globalStore, 0, std::size_t{elements} * size, false);
}
Pointer recognise(Thread *t, std::uint64_t address) { return t->cta->global.recognise(address); }

// ---- atomics. Programs run on several host threads: these are the host's atomics.

template <class U, class Combine>
std::uint64_t update(Thread *t, Pointer pointer, std::uint32_t predicate, std::uint64_t value,
                     std::uint32_t site, Combine combine) {
  if (!predicate) {
    count(t, site, AccessKind::globalUpdate, 0, sizeof(U), false);
    return 0;
  }
  t->cta->checkpoint(*t);
  t->cta->cluster().interrupt(*t);
  std::byte *place = reach(t, pointer, 1, sizeof(U), site);
  refuseUnwritten(t, place, 1, sizeof(U), site);
  synchronizes(t, place, sizeof(U), true);
  ++t->cta->counters.atomics;
  count(t, site, AccessKind::globalUpdate, place, sizeof(U));
  auto *cell = reinterpret_cast<U *>(place);
  U old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, combine(old, static_cast<U>(value)), /*weak=*/true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
  return old;
}

// clang-format off
template <class U> using Signed = std::make_signed_t<U>;
struct Add { template <class U> U operator()(U a, U b) const { return static_cast<U>(a + b); } };
struct SMax { template <class U> U operator()(U a, U b) const { return Signed<U>(a) < Signed<U>(b) ? b : a; } };
struct SMin { template <class U> U operator()(U a, U b) const { return Signed<U>(b) < Signed<U>(a) ? b : a; } };
struct UMax { template <class U> U operator()(U a, U b) const { return a < b ? b : a; } };
struct UMin { template <class U> U operator()(U a, U b) const { return b < a ? b : a; } };
struct And { template <class U> U operator()(U a, U b) const { return a & b; } };
struct Or { template <class U> U operator()(U a, U b) const { return a | b; } };
struct Xor { template <class U> U operator()(U a, U b) const { return a ^ b; } };
struct Exchange { template <class U> U operator()(U, U b) const { return b; } };
// clang-format on
// As the instructions that the machine takes for them (compiler/lowering/ptx/atomics.cpp): by the sign of
// what is added.
struct FMax {
  template <class U> U operator()(U a, U b) const { return Signed<U>(b) >= 0 ? SMax()(a, b) : UMin()(a, b); }
};
struct FMin {
  template <class U> U operator()(U a, U b) const { return Signed<U>(b) >= 0 ? SMin()(a, b) : UMax()(a, b); }
};
template <class F> struct AddNarrow {
  template <class U> U operator()(U a, U b) const {
    return numeric::encode<F>(numeric::canonical(numeric::decode<F>(a) + numeric::decode<F>(b)));
  }
};
template <class F> struct AddWide {
  template <class U> U operator()(U a, U b) const {
    return std::bit_cast<U>(numeric::canonical(std::bit_cast<F>(a) + std::bit_cast<F>(b)));
  }
};

template <class U, class Combine>
std::uint64_t atomic(Thread *t, Pointer pointer, std::uint32_t predicate, std::uint64_t value,
                     std::uint32_t site) {
  return update<U>(t, pointer, predicate, value, site, Combine());
}

template <class U>
std::uint64_t swapWord(Thread *t, Pointer pointer, std::uint64_t expected, std::uint64_t desired,
                       std::uint32_t site) {
  std::byte *place = reach(t, pointer, 1, sizeof(U), site);
  synchronizes(t, place, sizeof(U), true);
  ++t->cta->counters.atomics;
  count(t, site, AccessKind::globalUpdate, place, sizeof(U));
  U old = static_cast<U>(expected);
  __atomic_compare_exchange_n(reinterpret_cast<U *>(place), &old, static_cast<U>(desired), /*weak=*/false,
                              __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return old;
}
std::uint64_t swap(Thread *t, Pointer pointer, std::uint32_t predicate, std::uint64_t expected,
                   std::uint64_t desired, std::uint32_t bytes, std::uint32_t site) {
  if (!predicate) {
    count(t, site, AccessKind::globalUpdate, 0, bytes, false);
    return 0;
  }
  t->cta->pause(*t);   // a lock that is taken is freed by others
  switch (bytes) {
  case 2:
    return swapWord<std::uint16_t>(t, pointer, expected, desired, site);
  case 4:
    return swapWord<std::uint32_t>(t, pointer, expected, desired, site);
  default:
    return swapWord<std::uint64_t>(t, pointer, expected, desired, site);
  }
}

// ---- shared memory

void *shared(Thread *t) { return t->cta->shared.data(); }

// In the own shared memory, or, for what mapa gives, in that of another CTA.
struct SharedPlace {
  SharedMemory *memory;
  std::size_t offset;
};
SharedPlace placeOf(Thread *t, const void *at, std::size_t bytes, unsigned site) {
  SharedPlace place{&t->cta->shared, 0};
  if (!t->cta->shared.contains(at, bytes, place.offset)) [[unlikely]] {
    Cta *owner = t->cta->cluster().owner(at, bytes);
    if (!owner)
      t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, at, bytes); });
    owner->useFromOutside(*t, site);
    place.memory = &owner->shared;
    owner->shared.contains(at, bytes, place.offset);
  }
  return place;
}
void sharedRead(Thread *t, const void *at, std::uint32_t bytes, std::uint32_t site) {
  ++t->cta->counters.sharedReads;
  const SharedPlace place = placeOf(t, at, bytes, site);
  count(t, site, AccessKind::sharedLoad, place.offset, bytes);
  if (const auto conflict = place.memory->read(t->actor, site, place.offset, bytes)) [[unlikely]]
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, false); });
}
void sharedWrite(Thread *t, void *at, std::uint32_t bytes, const void *words, std::uint32_t site) {
  ++t->cta->counters.sharedWrites;
  const SharedPlace place = placeOf(t, at, bytes, site);
  count(t, site, AccessKind::sharedStore, place.offset, bytes);
  if (const auto conflict = place.memory->write(t->actor, site, place.offset,
                                                static_cast<const std::byte *>(words), bytes)) [[unlikely]]
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
}

// A word for a CTA of the cluster. It lands at once here. Who waits for the mbarrier knows of the word, and
// of what the thread did before.
void storeAsync(Thread *t, void *at, std::uint64_t word, std::uint32_t bytes, const void *barrier,
                std::uint32_t site) {
  Cluster &cluster = t->cta->cluster();
  cluster.interrupt(*t);
  Cta *owner = cluster.owner(barrier, sizeof word);
  if (!owner)
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, barrier, sizeof word); });
  if (cluster.owner(at, bytes) != owner)
    t->cta->fail(*t, [&] {
      return t->cta->at(site, "stores to another CTA than that of its mbarrier; both must be in one");
    });
  sharedWrite(t, at, bytes, &word, site);
  std::memcpy(at, &word, bytes);
  if (owner != t->cta)
    owner->useFromOutside(*t, site);
  MBarrier &counts = owner->mbarriers.find(*t, barrier, site);
  record(*t, Act::mbarrierExpect, Recorder::mbarrier(owner->rank(), counts.offset), -bytes);
  cluster.order.release(t->actor, counts.gathering);
  counts.now.areOfThreads = false;
  MBarriers::expect(*t, counts, -std::int64_t{bytes}, site);
}

// The threads of a program take turns: no other one is in between.
std::uint32_t sharedAdd(Thread *t, void *at, std::uint32_t value, std::uint32_t site) {
  ++t->cta->counters.atomics;
  const SharedPlace place = placeOf(t, at, sizeof value, site);
  count(t, site, AccessKind::sharedUpdate, place.offset, sizeof value);
  if (const auto conflict = place.memory->update(t->actor, site, place.offset, sizeof value)) [[unlikely]]
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
  std::uint32_t old;
  std::memcpy(&old, at, sizeof old);
  const std::uint32_t sum = old + value;
  std::memcpy(at, &sum, sizeof sum);
  return old;
}

void copy(Thread *t, void *to, Pointer from, std::uint32_t bytes, std::uint32_t copied, std::uint32_t site) {
  ++t->cta->counters.copies;
  t->cta->counters.bytesCopied += copied;
  const std::byte *source = nullptr;
  if (copied) {
    refuseTooEarly(*t, site);
    source = t->cta->global.reach(from, copied, bytes);
    if (!source)
      t->cta->fail(*t, [&] { return outsideOfBuffer(*t->cta, site, from, 1, copied, "reads "); });
    refuseUnwritten(t, source, copied, 1, site);
    refuseUnordered(t, source, copied, 1, site);
    refuseRace(*t, source, copied, 1, site);
    count(t, site, AccessKind::globalCopy, source, copied);
  } else {
    count(t, site, AccessKind::globalCopy, 0, bytes, false);
  }
  std::size_t offset;
  if (!t->cta->shared.contains(to, bytes, offset)) [[unlikely]]
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, to, bytes); });
  count(t, site, AccessKind::sharedCopy, offset, bytes);
  if (const auto conflict = t->cta->shared.depart(t->actor, site, offset, bytes, source)) [[unlikely]]
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
  beginCopy(*t, static_cast<std::byte *>(to), static_cast<std::uint32_t>(offset), source, bytes, copied);
}
void commit(Thread *t) {
  record(*t, Act::copyCommit);
  commitCopies(*t);
}
void wait(Thread *t, std::uint32_t pending) {
  record(*t, Act::copyWait, 0, pending);
  t->cta->cluster().interrupt(*t);
  waitForCopies(*t, pending);
}

}   // namespace

std::span<const Symbol> memoryCalls() {
  using std::uint16_t, std::uint32_t, std::uint64_t;
  static const std::vector<Symbol> table = [] {
    std::vector<Symbol> all{
        {"tile_sim_global_read", addressOf(globalRead)},
        {"tile_sim_global_write", addressOf(globalWrite)},
        {"tile_sim_load", addressOf(load)},
        {"tile_sim_store", addressOf(store)},
        {"tile_sim_recognise", addressOf(recognise)},
        {"tile_sim_swap", addressOf(swap)},
        {"tile_sim_shared", addressOf(shared)},
        {"tile_sim_shared_read", addressOf(sharedRead)},
        {"tile_sim_shared_write", addressOf(sharedWrite)},
        {"tile_sim_shared_add", addressOf(sharedAdd)},
        {"tile_sim_store_async", addressOf(storeAsync)},
        {"tile_sim_copy", addressOf(copy)},
        {"tile_sim_commit", addressOf(commit)},
        {"tile_sim_wait", addressOf(wait)},
        {"tile_sim_atomic_fadd_f16", addressOf(atomic<uint16_t, AddNarrow<f16>>)},
        {"tile_sim_atomic_fadd_bf16", addressOf(atomic<uint16_t, AddNarrow<bf16>>)},
        {"tile_sim_atomic_fadd_f32", addressOf(atomic<uint32_t, AddWide<float>>)},
        {"tile_sim_atomic_fadd_f64", addressOf(atomic<uint64_t, AddWide<double>>)},
        {"tile_sim_atomic_add_16", addressOf(atomic<uint16_t, Add>)},   // of a ring
    };
#define TILE_ATOMIC(name, Combine)                                                                           \
  all.push_back({"tile_sim_atomic_" name "_32", addressOf(atomic<uint32_t, Combine>)});                      \
  all.push_back({"tile_sim_atomic_" name "_64", addressOf(atomic<uint64_t, Combine>)});
    TILE_ATOMIC("add", Add)
    TILE_ATOMIC("smax", SMax)
    TILE_ATOMIC("smin", SMin)
    TILE_ATOMIC("umax", UMax)
    TILE_ATOMIC("umin", UMin)
    TILE_ATOMIC("and", And)
    TILE_ATOMIC("or", Or)
    TILE_ATOMIC("xor", Xor)
    TILE_ATOMIC("xchg", Exchange)
    TILE_ATOMIC("fmax", FMax)
    TILE_ATOMIC("fmin", FMin)
#undef TILE_ATOMIC
    return all;
  }();
  return table;
}

}   // namespace tile::simulator
