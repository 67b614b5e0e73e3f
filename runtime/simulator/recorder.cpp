// SPDX-License-Identifier: MIT
#include "runtime/simulator/recorder.h"

#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <utility>

namespace tile::simulator {
namespace {

// Steps of a lane that are kept until the others of its warp have come as far.
constexpr std::size_t mostKept = 4096;

Act actOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::globalLoad:
    return Act::globalLoad;
  case AccessKind::globalStore:
    return Act::globalStore;
  case AccessKind::globalUpdate:
    return Act::globalUpdate;
  case AccessKind::globalCopy:
    return Act::copy;
  default:
    return Act::shared;
  }
}

}   // namespace

Recorder::Recorder(std::int64_t cluster, unsigned warpsOfCta, unsigned ctas)
    : warpsOfCta_(warpsOfCta), warps_(std::size_t{warpsOfCta} * ctas) {
  record_.index = cluster;
  for (unsigned i = 0; i < warps_.size(); ++i)
    warps_[i].record = {.cta = i / warpsOfCta, .warp = i % warpsOfCta};
}

Recorder::Lane &Recorder::laneOf(const Thread &t) {
  return warps_[t.cta->rank() * warpsOfCta_ + t.warp()].lanes[t.lane()];
}

void Recorder::push(const Thread &t, LaneStep step) {
  Lane &lane = laneOf(t);
  step.place = lane.place;
  lane.steps.push_back(step);
  if (lane.steps.size() % mostKept == 0)
    merge(warps_[t.cta->rank() * warpsOfCta_ + t.warp()]);
}

void Recorder::arrive(const Thread &t, std::uint32_t place) {
  laneOf(t).place = place;
  push(t, {});
}

void Recorder::add(const Thread &t, Act act, std::uint32_t object, std::uint32_t amount, std::uint32_t more,
                   std::uint32_t cached) {
  LaneStep step;
  step.act = act;
  step.object = object;
  step.amount = amount;
  step.more = more;
  step.cached = cached;
  push(t, step);
}

void Recorder::access(const Thread &t, AccessKind kind, std::uint64_t at, std::uint32_t bytes,
                      bool isActive) {
  if (kind == AccessKind::sharedCopy)   // its other end is recorded
    return;
  LaneStep step;
  step.act = actOf(kind);
  step.kind = kind;
  step.at = at;
  step.bytes = bytes;
  step.isActive = isActive;
  push(t, step);
}

void Recorder::end(const Thread &t) { laneOf(t).hasEnded = true; }

// As far as all lanes have come.
void Recorder::merge(Warp &warp) {
  for (;;) {
    const LaneStep *first = nullptr;
    for (const Lane &lane : warp.lanes) {
      if (lane.steps.empty()) {
        if (!lane.hasEnded)
          return;
        continue;
      }
      const LaneStep &head = lane.steps.front();
      if (!first || std::pair(head.place, head.act) < std::pair(first->place, first->act))
        first = &head;
    }
    if (!first)
      return;
    Step merged = *first;
    const AccessKind kind = first->kind;
    // Arrivals of several lanes are several.
    const bool adds = merged.act == Act::mbarrierArrive || merged.act == Act::copyArrive;
    const bool isAccess = merged.act >= Act::shared && merged.act <= Act::copy &&
                          merged.act != Act::shuffle && merged.act != Act::multiply;
    WarpAccess access;
    std::uint32_t arrivals = 0, expected = 0;
    for (std::uint32_t i = 0; i < warp.lanes.size(); ++i) {
      Lane &lane = warp.lanes[i];
      if (lane.steps.empty() || lane.steps.front().place != merged.place ||
          lane.steps.front().act != merged.act)
        continue;
      const LaneStep &step = lane.steps.front();
      arrivals += step.amount;
      expected += step.more;
      if (isAccess && step.isActive) {
        access.active |= 1u << i;
        access.at[i] = step.at;
        access.bytes = std::max(access.bytes, step.bytes);
      }
      lane.steps.pop_front();
    }
    if (adds) {
      merged.amount = arrivals;
      merged.more = expected;
    }
    if (isAccess) {
      if (!access.active)
        continue;
      const AccessCost cost =
          isGlobal(kind) ? globalCost(access) : sharedCost(access, kind == AccessKind::sharedUpdate);
      merged.amount = cost.parts;
      merged.more = cost.least;
    }
    warp.record.steps.push_back(merged);
  }
}

void record(const Thread &t, Act act, std::uint32_t object, std::uint32_t amount, std::uint32_t more,
            std::uint32_t cached) {
  if (Recorder *recorder = t.cta->recorder) [[unlikely]]
    recorder->add(t, act, object, amount, more, cached);
}

ClusterRecord Recorder::take() {
  for (Warp &warp : warps_) {
    for (Lane &lane : warp.lanes)
      lane.hasEnded = true;
    merge(warp);
    record_.warps.push_back(std::move(warp.record));
  }
  return std::move(record_);
}

}   // namespace tile::simulator
