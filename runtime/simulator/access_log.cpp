// SPDX-License-Identifier: MIT
#include "runtime/simulator/access_log.h"

#include <algorithm>

namespace tile::simulator {
namespace {

// How far a lane may run ahead of the others of its warp before it counts alone.
constexpr std::size_t mostOpen = 1 << 16;

}   // namespace

AccessLog::AccessLog(unsigned warps, std::size_t sites) : warps_(warps), totals_(sites * accessKinds) {
  for (Warp &warp : warps_)
    warp.streams.resize(totals_.size());
}

void AccessLog::add(unsigned site, AccessKind kind, const WarpAccess &access) {
  if (!access.active)
    return;
  const AccessCost cost =
      isGlobal(kind) ? globalCost(access) : sharedCost(access, kind == AccessKind::sharedUpdate);
  totals_[site * accessKinds + static_cast<std::size_t>(kind)].add({1, cost.parts, cost.least});
}

void AccessLog::add(unsigned warpNumber, unsigned lane, unsigned site, AccessKind kind, std::uint64_t at,
                    std::uint32_t bytes, bool isActive) {
  Warp &warp = warps_[warpNumber];
  const std::size_t number = site * accessKinds + static_cast<std::size_t>(kind);
  std::unique_ptr<Stream> &place = warp.streams[number];
  if (!place) {
    place = std::make_unique<Stream>();
    place->total = number;
  }
  Stream &stream = *place;
  const std::uint32_t time = stream.times[lane]++;
  if (time < stream.first) {   // the others were not waited for
    Access alone;
    alone.at[lane] = at;
    alone.active = isActive ? 1u << lane : 0;
    alone.bytes = bytes;
    return add(site, kind, alone);
  }
  if (stream.done + (time - stream.first) == stream.open.size()) {
    if (stream.open.size() - stream.done == mostOpen) {
      warp.isOutOfStep = true;
      drop(warp, stream, mostOpen / 2);
    }
    stream.open.emplace_back();
    ++warp.open;
  }
  Access &access = stream.open[stream.done + (time - stream.first)];
  access.present |= 1u << lane;
  if (isActive) {
    access.at[lane] = at;
    access.active |= 1u << lane;
    access.bytes = std::max(access.bytes, bytes);
  }
  // All lanes have been at the earlier ones, too.
  if (access.present == ~0u)
    drop(warp, stream, 1);
}

// Counts the oldest ones, and forgets them.
void AccessLog::drop(Warp &warp, Stream &stream, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    add(static_cast<unsigned>(stream.total / accessKinds),
        static_cast<AccessKind>(stream.total % accessKinds), stream.open[stream.done + i]);
  stream.done += count;
  stream.first += static_cast<std::uint32_t>(count);
  warp.open -= count;
  if (stream.done == stream.open.size()) {
    stream.open.clear();
    stream.done = 0;
  } else if (stream.done >= mostOpen / 2) {
    stream.open.erase(stream.open.begin(), stream.open.begin() + static_cast<std::ptrdiff_t>(stream.done));
    stream.done = 0;
  }
}

void AccessLog::realign(unsigned number) {
  Warp &warp = warps_[number];
  if (warp.open == 0 && !warp.isOutOfStep)
    return;
  for (const std::unique_ptr<Stream> &stream : warp.streams)
    if (stream) {
      drop(warp, *stream, stream->open.size() - stream->done);
      stream->times.fill(0);
      stream->first = 0;
    }
  warp.isOutOfStep = false;
}

void AccessLog::realign() {
  for (unsigned warp = 0; warp < warps_.size(); ++warp)
    realign(warp);
}

}   // namespace tile::simulator
