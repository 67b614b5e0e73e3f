// SPDX-License-Identifier: MIT
#include "runtime/simulator/loop_watch.h"

#include "runtime/report_text.h"
#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <fmt/format.h>

namespace tile::simulator {

void LoopWatch::lookAtTime(Thread &t, unsigned site) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds moment(200);
  constexpr std::uint64_t often = 64;   // iterations of the watched thread between looks at the clock
  t.patience = Thread::patienceAtFirst;
  t.cta->checkpoint(t);
  host::TimeLimit &limit = t.cta->launch().limit;
  if (!watched_) {
    if (!limit.is_up())
      return;
    watched_ = &t;
    until_ = Clock::now() + moment;
    iterations_ = 0;
    counts_.clear();
  }
  // It may wait for ever, or have ended; then another one is to be watched.
  if (watched_ != &t && Clock::now() > until_ + moment)
    watched_ = nullptr;
  if (watched_ != &t)
    return;
  t.patience = 1;
  auto count = std::find_if(counts_.begin(), counts_.end(), [&](const Count &c) { return c.site == site; });
  if (count == counts_.end())
    count = counts_.insert(counts_.end(), Count{site});
  ++count->iterations;
  if (++iterations_ % often == 0 ? Clock::now() > until_ : Clock::now() > until_ + moment)
    fail(t);
}

void LoopWatch::fail(Thread &t) {
  t.cta->fail(t, [&] {
    std::sort(counts_.begin(), counts_.end(),
              [](const Count &a, const Count &b) { return a.iterations < b.iterations; });
    const std::vector<Site> &sites = t.cta->program().sites;
    std::vector<Error::Note> notes;
    for (const Count &count : counts_)
      if (&count != &counts_.front() && notes.size() < 3)
        notes.push_back({fmt::format("this inner loop has run {} iterations recently",
                                     grouped(std::uint64_t(count.iterations))),
                         sites[count.site].where});
    const host::TimeLimit &limit = t.cta->launch().limit;
    return limit.error(fmt::format("this loop still runs after {}; it has run {} {} recently", limit.text(),
                                   grouped(std::uint64_t(counts_.front().iterations)),
                                   counts_.front().iterations == 1 ? "iteration" : "iterations"),
                       sites[counts_.front().site].where, std::move(notes));
  });
}

}   // namespace tile::simulator
