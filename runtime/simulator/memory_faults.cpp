// SPDX-License-Identifier: MIT
#include "runtime/simulator/memory_faults.h"

#include "runtime/host/stray.h"
#include "runtime/report_text.h"
#include "runtime/simulator/cluster.h"

#include <fmt/format.h>

namespace tile::simulator {

Error outsideOfBuffer(const Cta &cta, unsigned site, Pointer pointer, std::size_t count, std::size_t size,
                      const std::string &verb) {
  if (host::buffer_of(pointer) == host::overflowed) {
    const Site &offset = cta.program().sites[host::place_of_overflow(pointer)];
    return cta.at(site, verb + "through " + offset.what, {{"the offset is computed here", offset.where}})
        .add_help("compute it in 64 bits: cast<i64>(...) on an operand");
  }
  const host::Stray stray =
      host::stray(cta.global.allocations(), pointer, count, size, fmt::format("{} bytes", count * size));
  Error error = cta.at(site, verb + stray.text);
  if (!stray.help.empty())
    error.add_help(stray.help);
  return error;
}

Error unwritten(const Cta &cta, unsigned site, const void *at, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return cta.at(site,
                host::element_text(*cta.global.reached(), address, size) + ", which nobody has written");
}

Error conflicting(const Cta &cta, unsigned site, const GlobalWrites::Conflict &conflict, std::size_t size,
                  bool isWrite) {
  using Trouble = GlobalWrites::Trouble;
  const host::Range *range = cta.global.reached();
  const std::string element =
      std::string(isWrite ? "writes " : "") +
      (range ? host::element_text(*range, conflict.at, size) : fmt::format("address {:#x}", conflict.at));
  const Location other = cta.program().sites[conflict.site].where;
  switch (conflict.trouble) {
  case Trouble::twice:
    return cta.at(
        site,
        fmt::format("{}, which another bulk copy may write at the same time; a wait for that copy is "
                    "missing",
                    element),
        {{"that copy began here", other}});
  case Trouble::inFlight:
    return cta.at(site,
                  fmt::format("{}, which a bulk copy may still write; a wait for it is missing, or a barrier "
                              "after the wait",
                              element),
                  {{"the copy began here", other}});
  case Trouble::unfenced:
    return cta.at(
        site,
        fmt::format("{}, which was written through the generic proxy, without a fence.proxy of async "
                    "after it",
                    element),
        {{"it was stored here", other}});
  case Trouble::unordered:
  default:
    return cta
        .at(site,
            fmt::format("{}, which another lane of the program has stored without a barrier since", element),
            {{"it was stored here", other}})
        .add_help("write barrier() between the two");
  }
}

Error racing(const Cta &cta, unsigned site, const ProgramRaces::Conflict &conflict, std::size_t size,
             bool isWrite) {
  const host::Range *range = cta.launch().engine.allocations.owner(conflict.at);
  const auto [x, y, z] = conflict.program;
  const char *how = conflict.wasRead ? "reads as it was before"
                    : isWrite        ? "stores with another value"
                                     : "stores in the same launch";
  return cta
      .at(site,
          fmt::format("{}, which program ({}, {}, {}) {}; nothing orders the two: a race between programs",
                      range ? host::element_text(*range, conflict.at, size)
                            : fmt::format("address {:#x}", conflict.at),
                      x, y, z, how),
          {{conflict.wasRead ? "that program reads it here" : "that program stores it here",
            cta.program().sites[conflict.site].where}})
      .add_help("let only one program store each element, or update it by atomics; to read results of "
                "another program, use a later launch, or order the two by atomics");
}

void refuseRace(Thread &t, const std::byte *place, std::size_t bytes, std::size_t size, unsigned site) {
  Cluster &cluster = t.cta->cluster();
  if (ProgramRaces::Program *program = cluster.racing()) [[unlikely]]
    if (const auto conflict = cluster.races().read(*program, site, place, bytes))
      t.cta->fail(t, [&] { return racing(*t.cta, site, *conflict, size, false); });
}
void refuseRace(Thread &t, const std::byte *place, const std::byte *values, std::size_t bytes,
                std::size_t size, unsigned site) {
  Cluster &cluster = t.cta->cluster();
  if (ProgramRaces::Program *program = cluster.racing()) [[unlikely]]
    if (const auto conflict = cluster.races().write(*program, site, place, values, bytes))
      t.cta->fail(t, [&] { return racing(*t.cta, site, *conflict, size, true); });
}

Error conflicting(const Cta &cta, unsigned site, const SharedMemory::Conflict &conflict, bool isWrite) {
  using Trouble = SharedMemory::Trouble;
  const Location other = cta.program().sites[conflict.site].where;
  const std::string place = fmt::format("byte {} of shared memory", grouped(std::int64_t(conflict.offset)));
  const char *verb = isWrite ? "writes" : "reads";
  // Of the cluster's threads, or an asynchronous operation.
  const unsigned threads = cta.program().threads, ctas = cta.program().ctas();
  const bool isThread = conflict.thread < threads * ctas;
  const std::string who =
      !isThread   ? "an asynchronous operation"
      : ctas == 1 ? fmt::format("thread {}", conflict.thread)
                  : fmt::format("thread {} of CTA {}", conflict.thread % threads, conflict.thread / threads);
  switch (conflict.trouble) {
  case Trouble::barrierObject:
    return cta.at(site, fmt::format("{} {}, where an mbarrier is in use", verb, place));
  case Trouble::beingRead:
    return cta.at(site,
                  fmt::format("{} {} while an asynchronous operation may still read it; a wait is missing",
                              verb, place),
                  {{fmt::format("{} began it here", who), other}});
  case Trouble::unfenced:
    return cta.at(
        site,
        fmt::format("{} {}, which was written through the generic proxy; a fence.proxy of async after the "
                    "write is missing, before the two are ordered",
                    verb, place),
        {{fmt::format("{} wrote it here", who), other}});
  case Trouble::unwritten:
    return cta.at(site, fmt::format("reads {}, which nobody has written yet", place));
  case Trouble::inFlight:
    return cta.at(
        site,
        fmt::format("{} {} while an asynchronous copy may still write it; a wait is missing", verb, place),
        {{fmt::format("{} began the copy here", who), other}});
  case Trouble::unorderedWrite:
    if (!isThread)
      return cta.at(
          site,
          fmt::format("{} {}, which an asynchronous copy has written; a wait for the copy is missing", verb,
                      place),
          {{"the copy began here", other}});
    return cta.at(
        site,
        fmt::format("{} {}, which another thread has written since the last barrier: a race", verb, place),
        {{fmt::format("{} wrote it here", who), other}});
  case Trouble::unorderedRead:
  default:
    return cta.at(
        site, fmt::format("{} {}, which another thread has read since the last barrier: a race", verb, place),
        {{fmt::format("{} read it here", who), other}});
  }
}

Error tooEarly(const Cta &cta, unsigned site) {
  return cta.at(site,
                "comes before its thread has waited for the kernels before this one; they may still run");
}

Error outsideOfShared(const Cta &cta, unsigned site, const void *at, std::size_t bytes) {
  const auto offset = static_cast<const std::byte *>(at) - cta.shared.data();
  return cta.at(site,
                fmt::format("accesses {} bytes at byte {} of shared memory, of which there are {}", bytes,
                            grouped(std::int64_t(offset)), grouped(std::int64_t(cta.shared.size()))));
}

}   // namespace tile::simulator
