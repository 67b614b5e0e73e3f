// SPDX-License-Identifier: MIT
// Changes of tensor maps on the device, and the fences that make them known to
// tensor copies.
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cluster.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace tile::simulator {
namespace {

template <class Why>
[[noreturn]] void refuse(Thread *t, std::uint32_t site, const Why &why) {
  t->cta->fail(*t, [&] { return t->cta->at(site, why()); });
}

TensorMap mapFrom(Thread *t, const std::byte *place, std::uint32_t site) {
  TensorMap map;
  std::memcpy(&map, place, sizeof map);
  if (map.magic != TensorMap::mark)
    refuse(t, site, [] {
      return std::string("finds no tensor map there; copy one that the "
                         "host made to that place first");
    });
  return map;
}
// The engine may still read a map by which a copy is under way.
void checkIdle(Thread *t, const std::byte *place, std::uint32_t site) {
  Cluster &cluster = t->cta->cluster();
  std::optional<unsigned> copy = cluster.maps.underWay(t->actor, reinterpret_cast<std::uintptr_t>(place));
  for (const auto &cta : cluster.ctas)
    for (const Thread &thread : cta->threads())
      for (const BulkStore &store : thread.stores)
        if (reinterpret_cast<const std::byte *>(store.mapPlace) == place)
          copy = store.site;
  if (copy)
    t->cta->fail(*t, [&] {
      return t->cta->at(site,
                        "changes a map that a copy may still use; the thread has not waited for the copy",
                        {{"the copy began here", t->cta->program().sites[*copy].where}});
    });
}

std::byte *globalMap(Thread *t, Pointer pointer, std::size_t alignment, std::uint32_t site) {
  refuseTooEarly(*t, site);
  std::byte *place = t->cta->global.reach(pointer, sizeof(TensorMap), alignment);
  if (!place)
    t->cta->fail(*t, [&] {
      return outsideOfBuffer(*t->cta, site, pointer, 1, sizeof(TensorMap), "changes a map at ");
    });
  checkIdle(t, place, site);
  t->cta->global.mark_written(place, sizeof(TensorMap));
  return place;
}
std::size_t sharedMap(Thread *t, const void *at, std::size_t alignment, std::uint32_t site) {
  std::size_t offset;
  if (!t->cta->shared.contains(at, sizeof(TensorMap), offset))
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, at, sizeof(TensorMap)); });
  if (offset % alignment != 0)
    refuse(t, site, [&] {
      return fmt::format("takes the map at byte {} of shared memory, which is "
                         "not aligned to {}",
                         offset, alignment);
    });
  return offset;
}

void edit(Thread *t, TensorMap &map, std::uint32_t field, std::uint32_t dimension, std::uint64_t value,
          std::uint32_t site) {
  if (const char *why = map.replace(field, dimension, value))
    refuse(t, site, [&] { return fmt::format("takes {}{}", value, why); });
}

void replaceShared(Thread *t, void *at, std::uint32_t field, std::uint32_t dimension, std::uint64_t value,
                   std::uint32_t site) {
  SharedMemory &shared = t->cta->shared;
  const std::size_t offset = sharedMap(t, at, 64, site);
  if (const auto conflict = shared.read(t->actor, site, offset, sizeof(TensorMap)))
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, false); });
  TensorMap map = mapFrom(t, shared.data() + offset, site);
  edit(t, map, field, dimension, value, site);
  if (const auto conflict =
          shared.write(t->actor, site, offset, reinterpret_cast<const std::byte *>(&map), sizeof(TensorMap)))
    t->cta->fail(*t, [&] { return conflicting(*t->cta, site, conflict, true); });
}
void replaceGlobal(Thread *t, Pointer pointer, std::uint32_t field, std::uint32_t dimension,
                   std::uint64_t value, std::uint32_t site) {
  std::byte *place = globalMap(t, pointer, 64, site);
  TensorMap map = mapFrom(t, place, site);
  edit(t, map, field, dimension, value, site);
  std::memcpy(place, &map, sizeof map);
  Cluster &cluster = t->cta->cluster();
  cluster.maps.changed(static_cast<Actor>(t->actor), cluster.order.now(t->actor), site,
                       reinterpret_cast<std::uintptr_t>(place), sizeof(TensorMap));
}

void copy(Thread *t, Pointer to, Pointer from, std::uint32_t site) {
  const std::byte *map = t->cta->global.reach(from, sizeof(TensorMap), sizeof(TensorMap) / 2);
  if (!map)
    t->cta->fail(
        *t, [&] { return outsideOfBuffer(*t->cta, site, from, 1, sizeof(TensorMap), "copies a map at "); });
  std::byte *place = globalMap(t, to, sizeof(TensorMap) / 2, site);
  const TensorMap copied = mapFrom(t, map, site);
  std::memcpy(place, &copied, sizeof copied);
  Cluster &cluster = t->cta->cluster();
  cluster.maps.changed(static_cast<Actor>(t->actor), cluster.order.now(t->actor), site,
                       reinterpret_cast<std::uintptr_t>(place), sizeof(TensorMap));
}

struct Publication {
  Thread *thread;
  Pointer to;
  const void *from;
};

// All lanes copy as one: each has to know what was written, and each knows the
// copy. The first one stands for those who read.
void publish(Thread *t, Pointer to, const void *from, std::uint32_t site) {
  Publication own{t, to, from};
  t->cta->meet(*t, site, &own, [&](void **arrivals) {
    Cta &cta = *t->cta;
    Cluster &cluster = cta.cluster();
    std::byte *place = globalMap(t, to, sizeof(TensorMap), site);
    const std::size_t offset = sharedMap(t, from, sizeof(TensorMap), site);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto &other = *static_cast<Publication *>(arrivals[lane]);
      if (other.to != to || other.from != from)
        refuse(t, site, [&] { return fmt::format("has another map in thread {}", other.thread->number); });
      const auto conflict = lane == 0 ? cta.shared.read(other.thread->actor, site, offset, sizeof(TensorMap))
                                      : cta.shared.unknownTo(other.thread->actor, offset, sizeof(TensorMap));
      if (conflict)
        cta.fail(*other.thread, [&] { return conflicting(cta, site, conflict, false); });
    }
    const TensorMap map = mapFrom(t, cta.shared.data() + offset, site);
    std::memcpy(place, &map, sizeof map);
    const auto [actor, clock] = cta.mapCopy(t->warp());
    cluster.maps.published(actor, clock, site, reinterpret_cast<std::uintptr_t>(place));
    for (unsigned lane = 0; lane < 32; ++lane)
      cluster.order.see(static_cast<Publication *>(arrivals[lane])->thread->actor, actor, clock);
  });
}

void releaseMaps(Thread *t) { t->cta->cluster().maps.release(t->actor); }
void acquireMap(Thread *t, Pointer map, std::uint32_t site) {
  const std::byte *place = t->cta->global.reach(map, sizeof(TensorMap), sizeof(TensorMap) / 2);
  if (!place)
    t->cta->fail(
        *t, [&] { return outsideOfBuffer(*t->cta, site, map, 1, sizeof(TensorMap), "acquires a map at "); });
  t->cta->cluster().maps.acquire(t->actor, reinterpret_cast<std::uintptr_t>(place));
}

}   // namespace

std::span<const Symbol> mapCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_map_replace_shared", addressOf(replaceShared)},
      {"tile_sim_map_replace_global", addressOf(replaceGlobal)},
      {"tile_sim_map_copy", addressOf(copy)},
      {"tile_sim_map_publish", addressOf(publish)},
      {"tile_sim_map_release", addressOf(releaseMaps)},
      {"tile_sim_map_acquire", addressOf(acquireMap)},
  };
  return table;
}

}   // namespace tile::simulator
