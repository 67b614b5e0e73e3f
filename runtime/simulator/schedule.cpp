// SPDX-License-Identifier: MIT
#include "runtime/simulator/schedule.h"

#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <numeric>

namespace tile::simulator {

std::uint32_t Schedule::random() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 17;
  state_ ^= state_ << 5;
  return state_;
}

void Schedule::begin(std::uint32_t seed, unsigned warps) {
  state_ = seed * 2654435761u ^ 0x9E3779B9u;
  state_ += state_ == 0;
  order_.resize(warps);
  std::iota(order_.begin(), order_.end(), 0u);
  for (unsigned i = warps; i > 1; --i)
    std::swap(order_[i - 1], order_[random() % i]);
  isUnfair_ = random() % 4 == 0;
}

Thread *Schedule::readyFirstLane(Cluster &cluster, unsigned skipped) {
  const unsigned perCta = cluster.program().threads / 32;
  for (const unsigned warp : order_)
    if (warp != skipped)
      if (Thread *t = cluster.ctas[warp / perCta]->readyFirstLane(warp % perCta))
        return t;
  return nullptr;
}

Thread *Schedule::pick(Cluster &cluster, const Thread &after, bool skipWarp) {
  constexpr std::uint32_t rarely = 16;   // once in so many turns
  const unsigned perCta = cluster.program().threads / 32;
  const unsigned skipped = after.cta->rank() * perCta + after.warp();
  // Who only waits for others to get on comes last, or nobody else ever would.
  if (skipWarp || (!isUnfair_ && random() % rarely == 0)) {
    const auto place = skipWarp ? std::find(order_.begin(), order_.end(), skipped)
                                : order_.begin() + static_cast<std::ptrdiff_t>(random() % order_.size());
    std::rotate(place, place + 1, order_.end());
  }
  const unsigned nobody = static_cast<unsigned>(order_.size());
  if (isUnfair_ && random() % rarely)
    if (Thread *t = readyFirstLane(cluster, skipWarp ? skipped : nobody))
      return t;
  const std::size_t first = !isUnfair_ && random() % rarely == 0 ? random() % order_.size() : 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const unsigned warp = order_[(first + i) % order_.size()];
    if (skipWarp && warp == skipped)
      continue;
    if (Thread *t = cluster.ctas[warp / perCta]->readyAtRandom(warp % perCta, random()))
      return t;
  }
  // The others of the warp may be what it waits for.
  return skipWarp ? cluster.ctas[skipped / perCta]->readyAtRandom(skipped % perCta, random()) : nullptr;
}

}   // namespace tile::simulator
