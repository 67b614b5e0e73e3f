// SPDX-License-Identifier: MIT
// What a program that went wrong says: where, and who waits for what.
#include "runtime/report_text.h"
#include "runtime/simulator/cluster.h"

#include <algorithm>
#include <fmt/format.h>

namespace tile::simulator {

Error Cta::explained(Error error, const Thread *thread) const {
  std::string line = fmt::format("program ({}, {}, {})", id_[0], id_[1], id_[2]);
  if (thread)
    line += fmt::format(", thread {}", thread->number);
  error.add_context(line);
  error.add_context(program_.title());
  return error;
}

Error Cta::at(unsigned site, const std::string &message, std::vector<Error::Note> notes) const {
  const Site &s = program_.sites[site];
  return Error(s.what + " " + message, s.where, std::move(notes));
}

Error Cta::failedCheckError() const {
  if (fault_.number >= program_.checks.size())
    return explained(Error("a check of this kernel failed, and its record is damaged", {}), nullptr);
  const DeviceCheck &check = program_.checks[fault_.number];
  Error error("assertion failed: " + check.message, check.where);
  if (!check.shape.empty())
    error.add_context("tile element " + index_text(check.shape, fault_.element));
  // Of those that this CTA has run, the one that the check is of.
  error.add_context(fmt::format("program ({}, {}, {})", fault_.x, fault_.y, fault_.z));
  error.add_context(program_.title());
  return error;
}

std::string Cta::whoWaits(const Thread &like) const {
  std::string text;
  unsigned count = 0;
  for (unsigned i = 0; i < program_.threads;) {
    const auto waits = [&](unsigned n) { return n < program_.threads && waitsLike(threads_[n], like); };
    if (!waits(i)) {
      ++i;
      continue;
    }
    unsigned end = i + 1;
    while (waits(end))
      ++end;
    text +=
        (text.empty() ? "" : ", ") + (end == i + 1 ? std::to_string(i) : fmt::format("{} to {}", i, end - 1));
    count += end - i;
    i = end;
  }
  return (count == 1 ? "thread " : "threads ") + text;
}

bool Cta::waitsLike(const Thread &a, const Thread &b) {
  const bool hasObject = b.wait == Wait::mbarrier || b.wait == Wait::poll || b.wait == Wait::namedBarrier;
  return !a.ended && a.wait == b.wait && a.site == b.site &&
         (!hasObject || (a.object == b.object && a.detail == b.detail)) &&
         (b.wait != Wait::warp || a.detail == b.detail);
}

std::string Cta::whatFor(const Thread &t) const {
  switch (t.wait) {
  case Wait::warp:
    return t.detail == ~0u ? ", for the rest of the warp"
                           : fmt::format(", for the rest of mask {:#x} of the warp", t.detail);
  case Wait::namedBarrier: {
    const NamedBarrier &b = namedBarriers[t.detail];
    return fmt::format(", number {}, to which {} of {} threads have come", t.detail, b.arrived, b.expected);
  }
  case Wait::mbarrier:
  case Wait::poll: {
    const auto &b = *static_cast<const MBarrier *>(t.object);
    return fmt::format(
        ", for the end of {} {} of the mbarrier at byte {} of shared memory{}, which is in its phase "
        "{} and waits for {} of {} arrivals and for {} bytes",
        t.detail <= 1 ? "parity" : "phase", t.detail, b.offset,
        b.cta == this ? "" : fmt::format(" of CTA {}", b.cta->rank()), b.phase, b.pending, b.expected,
        b.bytes);
  }
  case Wait::matrix:
    return ", for the rest of the warpgroup";
  case Wait::cluster:
    return ", for the rest of the cluster";
  default:
    return "";
  }
}

void Cta::describeWaits(std::vector<Error::Note> &notes) const {
  std::vector<const Thread *> seen;
  const std::string who = program_.ctas() > 1 ? fmt::format("CTA {}, ", rank_) : "";
  for (const Thread &t : threads()) {
    if (t.ended || std::any_of(seen.begin(), seen.end(), [&](const Thread *s) { return waitsLike(*s, t); }))
      continue;
    seen.push_back(&t);
    const Site &site = program_.sites[t.site];
    notes.push_back({fmt::format("{}{}: at this {}{}", who, whoWaits(t), site.what, whatFor(t)), site.where});
  }
}

}   // namespace tile::simulator
