// SPDX-License-Identifier: MIT
// Bulk copies between global and shared memory, checked when they are begun; matrix operations of a
// warpgroup.
#include "runtime/simulator/bulk_reduction.h"
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/recorder.h"
#include "runtime/simulator/tensor_boxes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace tile::simulator {
namespace {

template <class Why> [[noreturn]] void refuse(Thread *t, std::uint32_t site, const Why &why) {
  t->cta->fail(*t, [&] { return t->cta->at(site, why()); });
}
std::byte *globalBytes(Thread *t, Pointer pointer, std::size_t bytes, std::uint32_t site) {
  refuseTooEarly(*t, site);
  std::byte *place = t->cta->global.reach(pointer, bytes, 1);
  if (!place)
    t->cta->fail(
        *t, [&] { return outsideOfBuffer(*t->cta, site, pointer, bytes, 1, "of a tensor or buffer: "); });
  return place;
}

// A map that threads have changed needs fences on its way to the engine that copies, and may break the rules
// that the host's maps were made by.
void checkChanged(Thread *t, const TensorMap &map, std::uint32_t site) {
  using Missing = DeviceMaps::Missing;
  const auto trouble = t->cta->cluster().maps.check(t->actor, reinterpret_cast<std::uintptr_t>(&map));
  if (trouble.missing != Missing::nothing)
    t->cta->fail(*t, [&] {
      const char *why =
          trouble.missing == Missing::order ? "that another thread has changed, without a barrier in between"
          : trouble.missing == Missing::release
              ? "that was changed through the generic proxy, without a fence.proxy of tensormap that "
                "releases the change"
              : "that was changed, without a fence.proxy of tensormap that acquires the change";
      const unsigned threads = t->cta->program().threads, ctas = t->cta->program().ctas();
      const std::string who =
          trouble.actor >= threads * ctas ? "a warp"
          : ctas == 1 ? fmt::format("thread {}", trouble.actor)
                      : fmt::format("thread {} of CTA {}", trouble.actor % threads, trouble.actor / threads);
      return t->cta->at(site, std::string("takes a map ") + why,
                        {{who + " changed it here", t->cta->program().sites[trouble.site].where}});
    });
  if (!map.brokenRule().empty())
    refuse(t, site, [&] { return "takes a map that breaks a rule: " + map.brokenRule(); });
}

const TensorMap &mapAt(Thread *t, Pointer pointer, std::uint32_t rank, std::uint32_t site) {
  const std::byte *place = t->cta->global.reach(pointer, sizeof(TensorMap), 64);
  if (!place)
    t->cta->fail(*t, [&] {
      return outsideOfBuffer(*t->cta, site, pointer, 1, sizeof(TensorMap), "takes its map from ");
    });
  const auto &map = *reinterpret_cast<const TensorMap *>(place);
  if (!map.isValid())
    refuse(t, site,
           [&] { return std::string("expects an encoded tensor map there; encodeTensorMap makes one"); });
  if (t->cta->program().changesMaps)
    checkChanged(t, map, site);
  if (rank && map.rank != rank)
    refuse(t, site,
           [&] { return fmt::format("names {} coordinates of a tensor of {} dimensions", rank, map.rank); });
  return map;
}

// What the manual does not forbid, and an H200 answers by an illegal instruction (docs/calibration.md).
void checkCorner(Thread *t, const TensorMap &map, const std::int32_t *coordinates, bool writes,
                 std::uint32_t site) {
  if (const std::int64_t byte = std::int64_t{coordinates[0]} * map.elementBytes(); byte % 16 != 0)
    refuse(t, site, [&] {
      return fmt::format("begins its box at byte {} of a row; it must be a multiple of 16", byte);
    });
  for (unsigned d = 0; writes && d < map.rank; ++d)
    if (coordinates[d] < 0)
      refuse(t, site, [&] {
        return fmt::format("begins its box before the tensor, at {} of dimension {}; only a load may do so",
                           coordinates[d], d);
      });
}

// What a store writes: rows are filled up to a multiple of 16 bytes, also behind the tensor's last column.
bool fillsRows(const BulkStore &store) { return store.reduction < 0; }

// The bytes are read, or written by the store.
void order(Thread *t, const BulkStore *store, const std::byte *place, std::size_t bytes, std::size_t size,
           std::uint32_t site) {
  if (!store)   // what is stored is known when it lands
    refuseRace(*t, place, bytes, size, site);
  GlobalWrites *writes = t->cta->cluster().writes();
  if (!writes)
    return;
  const auto conflict =
      store ? writes->writeByCopy(store->number, t->actor, site, place, bytes, store->reduction >= 0)
            : writes->readByCopy(t->actor, place, bytes);
  if (conflict)
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, *conflict, size, store != nullptr); });
}
std::uint32_t numberOfCopy(Thread *t) {
  GlobalWrites *writes = t->cta->cluster().writes();
  return writes ? writes->newCopy() : 0;
}

// Every element of the box that is inside of the tensor has to be inside of a buffer.
void checkBox(Thread *t, const TensorMap &map, const std::int32_t *coordinates, BulkStore *store,
              std::uint32_t site) {
  const bool writes = store != nullptr;
  checkCorner(t, map, coordinates, writes, site);
  const host::MemoryView &global = t->cta->global;
  const Pointer base = global.recognise(map.address);
  const std::uint64_t bytes = map.elementBytes();
  forEachRow(map, coordinates, writes && fillsRows(*store),
             [&](std::uint32_t, std::uint64_t address, unsigned, unsigned count) {
               if (!count)
                 return;
               const Pointer row =
                   map.isAnchored ? global.recognise(address) : base + (address - map.address);
               const std::byte *place = globalBytes(t, row, count * bytes, site);
               order(t, store, place, count * bytes, bytes, site);
               if (writes)
                 t->cta->global.mark_written(place, count * bytes);
               else if (const auto at = t->cta->global.first_unwritten(place, count * bytes))
                 t->cta->fail(*t, [&] { return unwritten(*t->cta, site, place + *at, bytes); });
             });
}

std::uint32_t sharedPlace(Thread *t, Cta &cta, std::size_t offset, std::size_t bytes, unsigned alignment,
                          std::uint32_t site) {
  if (offset % alignment != 0)
    refuse(t, site, [&] {
      return fmt::format("uses byte {} of shared memory, which is not aligned to {}", offset, alignment);
    });
  if (offset > cta.shared.size() || bytes > cta.shared.size() - offset)
    t->cta->fail(*t, [&] { return outsideOfShared(cta, site, cta.shared.data() + offset, bytes); });
  return static_cast<std::uint32_t>(offset);
}

// What the L2 cache takes for it, in bytes. A row inside of a line of 128 bytes takes what it has, half a
// line or more. Of a row in several lines, each takes as long as a whole one (fitted to an H200).
std::uint32_t bytesOfCache(const BulkLoad &load) {
  constexpr std::uint64_t line = 128;
  std::uint64_t bytes = 0;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t lines = begin < end ? (end - 1) / line - begin / line + 1 : 0;
    bytes += lines == 1 ? std::max(line / 2, end - begin) : lines * line;
  };
  if (load.map.isValid())
    forEachRow(load.map, load.coordinates, /*fillsRows=*/false,
               [&](std::uint32_t, std::uint64_t address, unsigned, unsigned count) {
                 add(address, address + count * load.map.elementBytes());
               });
  else if (!load.reads)
    add(reinterpret_cast<std::uintptr_t>(load.from),
        reinterpret_cast<std::uintptr_t>(load.from) + load.bytes);
  return static_cast<std::uint32_t>(bytes);
}

// `load` into one CTA, or, with a mask, to the same place in several.
void begin(Thread *t, const BulkLoad &load, const void *to, const void *barrier, std::uint32_t mask,
           unsigned alignment, std::uint32_t site) {
  Cluster &cluster = t->cta->cluster();
  cluster.interrupt(*t);
  Cta *owner = cluster.owner(to, load.bytes), *signals = cluster.owner(barrier, 8);
  if (!owner)
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, to, load.bytes); });
  if (!signals)
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, barrier, 8); });
  const bool isMulticast = mask != ~0u;
  if (isMulticast && (mask & 0xFFFF) >> cluster.ctas.size())
    refuse(t, site, [&] {
      return fmt::format("has mask {:#x} in a cluster of {} CTAs", mask & 0xFFFF, cluster.ctas.size());
    });
  if (!isMulticast && !load.reads && signals != owner)
    refuse(t, site,
           [&] { return std::string("brings bytes to one CTA and signals an mbarrier of another"); });
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte *>(to) - owner->shared.data());
  const auto barrierOffset = static_cast<const std::byte *>(barrier) - signals->shared.data();
  record(*t, Act::load, Recorder::mbarrier(signals->rank(), static_cast<std::uint32_t>(barrierOffset)),
         load.bytes, isMulticast ? mask & 0xFFFF : 1u << owner->rank(),
         t->cta->recorder ? bytesOfCache(load) : 0);
  for (const auto &cta : cluster.ctas) {
    if (isMulticast ? !(mask >> cta->rank() & 1) : cta.get() != owner)
      continue;
    BulkLoad own = load;
    own.cta = cta.get();
    own.offset = sharedPlace(t, *cta, offset, load.bytes, alignment, site);
    own.site = site;
    const std::byte *at = cta->shared.data() + barrierOffset;
    own.barrier = &cta->mbarriers.find(*t, at, site, /*forCopy=*/true);
    if (const auto conflict = cta->shared.beginWrite(t->actor, site, own.offset, load.bytes))
      t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
    ++t->cta->counters.bulkCopies;
    t->cta->counters.bulkBytes += load.bytes;
    if (load.mapPlace && t->cta->program().changesMaps)
      cluster.maps.used(reinterpret_cast<std::uintptr_t>(load.mapPlace), own.barrier->actor,
                        own.barrier->phase + 1, site);
    cluster.copies.load(*t, std::move(own));
  }
}

void tensorLoad(Thread *t, void *to, Pointer map, const void *barrier, std::uint32_t rank,
                const std::int32_t *box, std::uint32_t mask, std::uint32_t predicate, std::uint32_t site) {
  if (!predicate)
    return;
  BulkLoad load;
  load.mapPlace = &mapAt(t, map, rank, site);
  load.map = *load.mapPlace;
  std::copy_n(box, rank, load.coordinates);
  checkBox(t, load.map, load.coordinates, nullptr, site);
  load.bytes = load.map.boxBytes();
  begin(t, load, to, barrier, mask, load.map.alignment(), site);
}

void checkBytes(Thread *t, Pointer pointer, std::uint32_t bytes, std::uint32_t site) {
  if (bytes % 16 != 0 || bytes == 0 || host::address_of(pointer) % 16 != 0)
    refuse(t, site, [&] {
      return fmt::format("copies {} bytes at {:#x}; both must be multiples of 16", bytes,
                         host::address_of(pointer));
    });
}
void bulkLoad(Thread *t, void *to, Pointer from, const void *barrier, std::uint32_t bytes, std::uint32_t mask,
              std::uint32_t site) {
  checkBytes(t, from, bytes, site);
  BulkLoad load;
  load.from = globalBytes(t, from, bytes, site);
  order(t, nullptr, load.from, bytes, 1, site);
  load.bytes = bytes;
  begin(t, load, to, barrier, mask, 16, site);
}
void bulkSend(Thread *t, void *to, const void *from, const void *barrier, std::uint32_t bytes,
              std::uint32_t site) {
  std::size_t offset;
  if (bytes % 16 != 0 || bytes == 0 || !t->cta->shared.contains(from, bytes, offset) || offset % 16 != 0)
    refuse(t, site, [&] {
      return fmt::format("copies {} bytes of its own shared memory; place and size must be multiples of 16",
                         bytes);
    });
  if (const auto conflict = t->cta->shared.beginRead(t->actor, site, offset, bytes))
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, false); });
  BulkLoad load;
  load.reads = t->cta;
  load.readOffset = static_cast<std::uint32_t>(offset);
  load.bytes = bytes;
  begin(t, load, to, barrier, ~0u, 16, site);
}

void begin(Thread *t, BulkStore store, const void *from, unsigned alignment, std::uint32_t site) {
  const auto offset = static_cast<const std::byte *>(from) - t->cta->shared.data();
  store.offset = sharedPlace(t, *t->cta, static_cast<std::size_t>(offset), store.bytes, alignment, site);
  store.site = site;
  if (const auto conflict = t->cta->shared.beginRead(t->actor, site, store.offset, store.bytes))
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, false); });
  ++t->cta->counters.bulkCopies;
  t->cta->counters.bulkBytes += store.bytes;
  record(*t, Act::store, 0, store.bytes);
  t->cta->cluster().copies.store(*t, std::move(store));
}
void tensorStore(Thread *t, Pointer map, const void *from, std::uint32_t rank, const std::int32_t *box,
                 std::int32_t reduction, std::uint32_t predicate, std::uint32_t site) {
  if (!predicate)
    return;
  t->cta->cluster().interrupt(*t);
  BulkStore store;
  store.mapPlace = &mapAt(t, map, rank, site);
  store.map = *store.mapPlace;
  if (reduction >= 0 && !canReduce(store.map.element, reduction))
    refuse(t, site,
           [&] { return std::string("is a reduction that the tensor's element type does not support"); });
  std::copy_n(box, rank, store.coordinates);
  store.reduction = reduction;
  store.number = numberOfCopy(t);
  checkBox(t, store.map, store.coordinates, &store, site);
  store.bytes = store.map.boxBytes();
  const unsigned alignment = store.map.alignment();
  begin(t, std::move(store), from, alignment, site);
}
void bulkStore(Thread *t, Pointer to, const void *from, std::uint32_t bytes, std::uint32_t mask,
               std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  checkBytes(t, to, bytes, site);
  BulkStore store;
  store.to = globalBytes(t, to, bytes, site);
  store.number = numberOfCopy(t);
  order(t, &store, store.to, bytes, 1, site);
  t->cta->global.mark_written(store.to, bytes);
  store.bytes = bytes;
  store.byteMask = mask & 0xFFFF;
  begin(t, std::move(store), from, 16, site);
}
void bulkCommit(Thread *t) {
  record(*t, Act::storeCommit);
  BulkCopies::commit(*t);
}
void bulkWait(Thread *t, std::uint32_t pending, std::uint32_t readOnly) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::storeWait, 0, pending, readOnly);
  t->cta->cluster().copies.wait(*t, pending, readOnly);
}
void tensorPrefetch(Thread *t, Pointer pointer, std::uint32_t rank, const std::int32_t *box,
                    std::uint32_t site) {
  const TensorMap &map = mapAt(t, pointer, rank, site);
  if (rank)
    checkCorner(t, map, box, false, site);
}
void bulkPrefetch(Thread *t, Pointer from, std::uint32_t bytes, std::uint32_t site) {
  checkBytes(t, from, bytes, site);
  globalBytes(t, from, bytes, site);
}

// The copies that the thread has begun arrive at the mbarrier when they have landed.
void copyArrive(Thread *t, const void *at, std::uint32_t isCounted, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  MBarrier &b = t->cta->mbarriers.find(*t, at, site);
  record(*t, Act::copyArrive, Recorder::mbarrier(t->cta->rank(), b.offset), isCounted ? 1 : 0);
  if (!isCounted) {   // the arrival is one more than the barrier was made for
    ++b.pending;
    t->cta->cluster().order.release(t->actor, b.gathering);
  }
  BulkLoad load;
  load.cta = t->cta;
  load.barrier = &b;
  load.site = site;
  load.copies = std::exchange(t->copies, {});
  load.thread = t;
  t->cta->cluster().copies.load(*t, std::move(load));
}

// ---- matrix operations of a warpgroup

std::uint32_t wgmma(Thread *t, std::uint64_t a, std::uint64_t b, std::uint32_t accumulates,
                    std::uint32_t columns, std::uint32_t flags, const std::uint32_t *words,
                    std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  const WarpgroupOperands operands{a, b, columns, flags, accumulates != 0};
  record(*t, Act::product, 0, columns, operands.hasRegisters());
  return t->cta->warpgroups[t->number / Warpgroup::threads].issue(*t, operands, words, site);
}
void wgmmaFence(Thread *t) { t->areRegistersFenced = true; }
void wgmmaCommit(Thread *t) {
  record(*t, Act::productCommit);
  ++t->matrixCommits;
}
void wgmmaWait(Thread *t, std::uint32_t pending, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::productWait, 0, pending);
  t->cta->warpgroups[t->number / Warpgroup::threads].wait(*t, pending, site);
}
void wgmmaTake(Thread *t, std::uint32_t *words, std::uint32_t count, std::uint32_t site) {
  t->cta->warpgroups[t->number / Warpgroup::threads].take(*t, words, count, site);
}

}   // namespace

std::span<const Symbol> bulkCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_tensor_load", addressOf(tensorLoad)},
      {"tile_sim_tensor_store", addressOf(tensorStore)},
      {"tile_sim_tensor_prefetch", addressOf(tensorPrefetch)},
      {"tile_sim_bulk_load", addressOf(bulkLoad)},
      {"tile_sim_bulk_send", addressOf(bulkSend)},
      {"tile_sim_bulk_store", addressOf(bulkStore)},
      {"tile_sim_bulk_commit", addressOf(bulkCommit)},
      {"tile_sim_bulk_wait", addressOf(bulkWait)},
      {"tile_sim_bulk_prefetch", addressOf(bulkPrefetch)},
      {"tile_sim_copy_arrive", addressOf(copyArrive)},
      {"tile_sim_wgmma", addressOf(wgmma)},
      {"tile_sim_wgmma_fence", addressOf(wgmmaFence)},
      {"tile_sim_wgmma_commit", addressOf(wgmmaCommit)},
      {"tile_sim_wgmma_wait", addressOf(wgmmaWait)},
      {"tile_sim_wgmma_take", addressOf(wgmmaTake)},
  };
  return table;
}

}   // namespace tile::simulator
