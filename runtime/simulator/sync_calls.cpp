// SPDX-License-Identifier: MIT
// How parts of a program wait for each other: named barriers, mbarriers, clusters, fences, and what the
// threads of a warp tell each other.
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/recorder.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <vector>

namespace tile::simulator {
namespace {

template <class Why> [[noreturn]] void refuse(Thread *t, std::uint32_t site, const Why &why) {
  t->cta->fail(*t, [&] { return t->cta->at(site, why()); });
}

// ---- warps

void warpSync(Thread *t, std::uint32_t mask, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  Order &order = t->cta->cluster().order;
  t->cta->meet(
      *t, site, t,
      [&](void **arrivals) {
        Moment moment;
        for (unsigned lane = 0; lane < 32; ++lane)
          if (arrivals[lane])
            order.release(static_cast<Thread *>(arrivals[lane])->actor, moment);
        for (unsigned lane = 0; lane < 32; ++lane)
          if (arrivals[lane])
            order.acquire(static_cast<Thread *>(arrivals[lane])->actor, moment);
      },
      mask);
}

struct Word {
  std::uint64_t value;
  std::uint32_t result = 0;
};
// `combine(words)` says the results of all who came.
template <class Combine>
std::uint32_t exchange(Thread *t, std::uint32_t mask, std::uint64_t value, std::uint32_t site,
                       Combine combine) {
  record(*t, Act::shuffle);
  Word own{value};
  t->cta->meet(
      *t, site, &own,
      [&](void **arrivals) {
        Word *words[32];
        for (unsigned lane = 0; lane < 32; ++lane)
          words[lane] = static_cast<Word *>(arrivals[lane]);
        combine(words);
      },
      mask);
  return own.result;
}

std::uint32_t vote(Thread *t, std::uint32_t mask, std::uint32_t holds, std::uint32_t kind,
                   std::uint32_t site) {
  return exchange(t, mask, holds, site, [&](Word **words) {
    std::uint32_t ballot = 0, present = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (words[lane]) {
        present |= 1u << lane;
        ballot |= words[lane]->value ? 1u << lane : 0;
      }
    const bool isAll = ballot == present;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (words[lane])   // any, all, ballot, uni
        words[lane]->result = kind == 0   ? ballot != 0
                              : kind == 1 ? isAll
                              : kind == 2 ? ballot
                                          : isAll || !ballot;
  });
}

std::uint32_t elect(Thread *t, std::uint32_t mask, std::uint32_t site) {
  return exchange(t, mask, 0, site, [&](Word **words) {
    for (unsigned lane = 0; lane < 32; ++lane)
      if (words[lane]) {   // the first one, the others stay at 0
        words[lane]->result = 1;
        return;
      }
  });
}

std::uint32_t match(Thread *t, std::uint32_t mask, std::uint64_t value, std::uint32_t isAll,
                    std::uint32_t site) {
  return exchange(t, mask, value, site, [&](Word **words) {
    std::uint32_t present = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      present |= words[lane] ? 1u << lane : 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!words[lane])
        continue;
      for (unsigned other = 0; other < 32; ++other)
        if (words[other] && words[other]->value == words[lane]->value)
          words[lane]->result |= 1u << other;
      if (isAll && words[lane]->result != present)
        words[lane]->result = 0;
    }
  });
}

// By NVVM's numbers of kinds: none, add, and, max, min, or, umax, umin, xor.
std::uint32_t redux(Thread *t, std::uint32_t mask, std::uint32_t value, std::uint32_t kind,
                    std::uint32_t site) {
  return exchange(t, mask, value, site, [&](Word **words) {
    std::uint32_t all = 0;
    bool any = false;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!words[lane])
        continue;
      const auto x = static_cast<std::uint32_t>(words[lane]->value);
      const auto a = static_cast<std::int32_t>(all), b = static_cast<std::int32_t>(x);
      const std::uint32_t results[] = {0,
                                       all + x,
                                       all & x,
                                       static_cast<std::uint32_t>(std::max(a, b)),
                                       static_cast<std::uint32_t>(std::min(a, b)),
                                       all | x,
                                       std::max(all, x),
                                       std::min(all, x),
                                       all ^ x};
      all = any ? results[kind] : x;
      any = true;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      if (words[lane])
        words[lane]->result = all;
  });
}

// ---- barriers

void namedBarrier(Thread *t, std::uint32_t number, std::uint32_t count, std::uint32_t waits,
                  std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::barrier, number, count ? count : t->cta->program().threads, waits);
  t->cta->namedBarriers.arrive(*t, number, count, waits, site);
}

MBarriers &mbarriersAt(Thread *t, const void *at, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  Cta *owner = t->cta->cluster().owner(at, 8);
  if (!owner)
    t->cta->fail(*t, [&] { return outsideOfShared(*t->cta, site, at, 8); });
  if (owner != t->cta)
    owner->useFromOutside(*t, site);
  return owner->mbarriers;
}
MBarrier &mbarrierAt(Thread *t, const void *at, std::uint32_t site) {
  return mbarriersAt(t, at, site).find(*t, at, site);
}
std::uint32_t named(const MBarrier &barrier) {
  return Recorder::mbarrier(barrier.cta->rank(), barrier.offset);
}
void mbarrierInit(Thread *t, const void *at, std::uint32_t count, std::uint32_t predicate,
                  std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  if (!predicate)
    return;
  t->cta->mbarriers.init(*t, at, count, site);
  record(*t, Act::mbarrierInit, named(t->cta->mbarriers.find(*t, at, site)), count);
}
void mbarrierInval(Thread *t, const void *at, std::uint32_t site) {
  t->cta->mbarriers.inval(*t, mbarrierAt(t, at, site), site);
}
void mbarrierExpect(Thread *t, const void *at, std::int32_t bytes, std::uint32_t site) {
  MBarrier &barrier = mbarrierAt(t, at, site);
  if (bytes > 0) {
    MBarriers::checkPhase(*t, barrier, site);
    barrier.now.areOfThreads = false;
  }
  record(*t, Act::mbarrierExpect, named(barrier), static_cast<std::uint32_t>(bytes));
  MBarriers::expect(*t, barrier, bytes, site);
}
std::uint64_t mbarrierArrive(Thread *t, const void *at, std::uint32_t count, std::uint32_t bytes,
                             std::uint32_t predicate, std::uint32_t flags, std::uint32_t site) {
  if (!predicate)
    return 0;
  MBarrier &barrier = mbarrierAt(t, at, site);
  record(*t, Act::mbarrierArrive, named(barrier), count, bytes);
  return MBarriers::arrive(*t, barrier, count, bytes, flags, site);
}
std::uint32_t mbarrierWait(Thread *t, const void *at, std::uint64_t phase, std::uint32_t isState,
                           std::uint32_t blocks, std::uint32_t isRelaxed, std::uint32_t site) {
  MBarrier &barrier = mbarrierAt(t, at, site);
  const bool isOver = MBarriers::wait(*t, barrier, phase, isState, blocks, isRelaxed, site);
  if (isOver)   // a parity: of the phase that runs, which is another, or of the last one
    record(*t, Act::mbarrierWait, named(barrier),
           isState ? static_cast<std::uint32_t>(phase) + 1 : barrier.phase);
  return isOver;
}

// ---- fences

void fence(Thread *t, std::uint32_t kind) {
  t->cta->cluster().interrupt(*t);
  enum { Async, Init, Other, AsyncShared, AsyncGlobal };
  if (kind == Other || !t->cta->program().hasPartialOrder)
    return;
  Order &order = t->cta->cluster().order;
  t->cta->mbarriers.fence(*t);
  // The clock moves on, which Init counts on too.
  order.fence(t->actor, kind == AsyncShared   ? Order::ofShared
                        : kind == AsyncGlobal ? Order::ofGlobal
                                              : Order::ofShared | Order::ofGlobal);
  if (kind == Init)
    t->initFence = order.now(t->actor) - 1;
}

void setRegisters(Thread *t, std::uint32_t count, std::uint32_t isMore, std::uint32_t site) {
  if (count % 8 != 0 || count < 24 || count > 256)
    refuse(t, site, [&] {
      return fmt::format("asks for {} registers; 24 to 256 are possible, in steps of 8", count);
    });
  ++t->cta->counters.registerChanges;
  (void)isMore;
}
// Programs start when all that they depend on is done; a kernel that starts early may not rely on it.
void gridDependency(Thread *t, std::uint32_t isWait) {
  if (isWait)
    t->awaitsKernels = false;
}

// ---- clusters

std::int32_t clusterId(Thread *t, std::uint32_t axis) { return t->cta->cluster().id()[axis]; }
std::int32_t numClusters(Thread *t, std::uint32_t axis) {
  const Grid &grid = t->cta->launch().grid;
  const std::int64_t extent = axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
  return static_cast<std::int32_t>(extent / t->cta->program().cluster[axis]);
}
std::uint32_t placeInCluster(Thread *t, std::uint32_t axis) {
  const unsigned rank = t->cta->rank();
  const auto &extent = t->cta->program().cluster;
  return axis == 0   ? rank % extent[0]
         : axis == 1 ? rank / extent[0] % extent[1]
         : axis == 2 ? rank / extent[0] / extent[1]
                     : rank;
}
std::uint32_t clusterExtent(Thread *t, std::uint32_t axis) {
  return axis == 3 ? t->cta->program().ctas() : t->cta->program().cluster[axis];
}
std::uint32_t numThreads(Thread *t) { return t->cta->program().threads; }
void clusterArrive(Thread *t, std::uint32_t isRelaxed, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::clusterArrive);
  t->cta->cluster().arrive(*t, isRelaxed, site);
}
void clusterWait(Thread *t, std::uint32_t site) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::clusterWait);
  t->cta->cluster().wait(*t, site);
}
void *mapa(Thread *t, const void *at, std::uint32_t rank, std::uint32_t site) {
  std::size_t offset;
  const auto &ctas = t->cta->cluster().ctas;
  if (rank >= ctas.size())
    refuse(t, site, [&] { return fmt::format("asks for CTA {} of a cluster of {}", rank, ctas.size()); });
  if (!t->cta->shared.contains(at, 0, offset))
    refuse(t, site, [&] { return std::string("needs an address of its own shared memory"); });
  return ctas[rank]->shared.data() + offset;
}

}   // namespace

std::span<const Symbol> syncCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_warp_sync", addressOf(warpSync)},
      {"tile_sim_vote", addressOf(vote)},
      {"tile_sim_elect", addressOf(elect)},
      {"tile_sim_match", addressOf(match)},
      {"tile_sim_redux", addressOf(redux)},
      {"tile_sim_named_barrier", addressOf(namedBarrier)},
      {"tile_sim_mbarrier_init", addressOf(mbarrierInit)},
      {"tile_sim_mbarrier_inval", addressOf(mbarrierInval)},
      {"tile_sim_mbarrier_expect", addressOf(mbarrierExpect)},
      {"tile_sim_mbarrier_arrive", addressOf(mbarrierArrive)},
      {"tile_sim_mbarrier_wait", addressOf(mbarrierWait)},
      {"tile_sim_fence", addressOf(fence)},
      {"tile_sim_set_registers", addressOf(setRegisters)},
      {"tile_sim_grid_dependency", addressOf(gridDependency)},
      {"tile_sim_cluster_id", addressOf(clusterId)},
      {"tile_sim_num_clusters", addressOf(numClusters)},
      {"tile_sim_place_in_cluster", addressOf(placeInCluster)},
      {"tile_sim_cluster_extent", addressOf(clusterExtent)},
      {"tile_sim_num_threads", addressOf(numThreads)},
      {"tile_sim_cluster_arrive", addressOf(clusterArrive)},
      {"tile_sim_cluster_wait", addressOf(clusterWait)},
      {"tile_sim_mapa", addressOf(mapa)},
  };
  return table;
}

}   // namespace tile::simulator
