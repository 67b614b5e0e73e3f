// SPDX-License-Identifier: MIT
#include "runtime/simulator/named_barriers.h"

#include "runtime/simulator/cluster.h"

#include <fmt/format.h>

namespace tile::simulator {

void NamedBarriers::arrive(Thread &t, std::uint32_t number, std::uint32_t count, bool waits, unsigned site) {
  Cta &cta = *t.cta;
  const unsigned threads = cta.program().threads;
  const auto refuse = [&](const auto &why) { cta.fail(t, [&] { return cta.at(site, why()); }); };
  if (count == 0)
    count = threads;
  if (number > 15)
    refuse([&] { return fmt::format("has number {}; the numbers are 0 to 15", number); });
  if (count % 32 != 0 || count > threads)
    refuse([&] {
      return fmt::format("is for {} threads; it must be for a multiple of 32, up to the {} of the program",
                         count, threads);
    });
  NamedBarrier &b = barriers_[number];
  if (b.arrived && b.expected != count)
    cta.fail(t, [&] {
      return cta.at(
          site,
          fmt::format("{} is for {} threads, but other threads reached it for {}", number, count, b.expected),
          {{"they reached it here", cta.program().sites[b.site].where}});
    });
  for (const Thread *other : b.waiting)
    if (other == &t)
      refuse([&] { return std::string("is reached by a thread that already waits there"); });
  Order &order = cta.cluster().order;
  if (b.meetings && order.seen(t.actor, b.actor) < b.meetings)
    cta.fail(t, [&] {
      return cta.at(
          site,
          fmt::format("{} is reached by a thread that may not know that the barrier's last use is over: "
                      "another schedule counts it there, in place of another thread",
                      number),
          {{"the last use was here", cta.program().sites[b.site].where}});
    });
  b.expected = count;
  b.site = site;
  order.release(t.actor, b.gathering);
  if (++b.arrived == count) {
    if (b.meetings == 0)
      b.actor = order.addActor();
    Moment moment = std::move(b.gathering);
    moment.see(b.actor, b.meetings + 1);
    std::vector<Thread *> waiting = std::move(b.waiting);
    b = {.site = site, .meetings = b.meetings + 1, .actor = b.actor};
    ++cta.counters.barriers;
    for (Thread *other : waiting) {
      order.acquire(other->actor, moment);
      cta.wake(*other);
    }
    if (waits)
      order.acquire(t.actor, moment);
    cta.cluster().progressed();
    return;
  }
  if (!waits)
    return;
  b.waiting.push_back(&t);
  t.detail = number;
  cta.block(t, Wait::namedBarrier, site);
}

}   // namespace tile::simulator
