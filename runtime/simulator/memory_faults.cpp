// SPDX-License-Identifier: MIT
#include "runtime/simulator/memory_faults.h"

#include "runtime/host/report_text.h"

#include <fmt/format.h>

namespace tile::simulator {

Error outsideOfBuffer(const Cta &cta, unsigned site, Pointer pointer, std::size_t count, std::size_t size,
                      const std::string &verb) {
  const host::Allocations &allocations = cta.global.allocations();
  const std::uintptr_t address = host::address_of(pointer);
  const std::uint16_t buffer = host::buffer_of(pointer);
  if (buffer == host::nowhere)
    return cta.at(site, verb + "an element more than 2^48 bytes away from where its pointer started");
  const host::Range *range = buffer ? allocations.by_tag(buffer) : allocations.find(address);
  if (!range)
    return cta.at(site, verb + fmt::format("{} bytes at address {:#x}: {}", count * size, address,
                                           allocations.describe(address)));
  const auto offset = static_cast<std::int64_t>(address - range->begin);
  const auto step = static_cast<std::int64_t>(size);
  const bool isInside = range->contains(address, count * size);
  if (isInside || address % size != 0)
    return cta.at(site,
                  verb + fmt::format("{} bytes at byte {} of `{}`: not aligned to {} bytes", count * size,
                                     host::grouped(offset), range->name, isInside ? count * size : size));
  // The first element that is outside.
  std::int64_t element = offset >= 0 ? offset / step : -((-offset + step - 1) / step);
  const std::int64_t elements = static_cast<std::int64_t>(range->bytes) / step;
  if (element >= 0 && element < elements)
    element = elements;
  return cta.at(site, verb + fmt::format("element {} of `{}`, which has {}", host::grouped(element),
                                         range->name, host::grouped(elements)));
}

Error unwritten(const Cta &cta, unsigned site, std::uintptr_t address, std::size_t size) {
  const host::Range &range = *cta.global.reached();
  return cta.at(site, fmt::format("element {} of `{}`, which nobody has written",
                                  host::grouped(static_cast<std::int64_t>((address - range.begin) / size)),
                                  range.name));
}

Error conflicting(const Cta &cta, unsigned site, const SharedMemory::Conflict &conflict, bool isWrite) {
  using Trouble = SharedMemory::Trouble;
  const Location other = cta.program().sites[conflict.site].where;
  const std::string place =
      fmt::format("byte {} of shared memory", host::grouped(std::int64_t(conflict.offset)));
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
        fmt::format("{} {}, which was written in the ordinary way, without a fence.proxy of async between "
                    "that and what orders both",
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
      return cta.at(site,
                    fmt::format("{} {}, which an asynchronous copy has written, without having waited for it",
                                verb, place),
                    {{"the copy was begun here", other}});
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

Error outsideOfShared(const Cta &cta, unsigned site, const void *at, std::size_t bytes) {
  const auto offset = static_cast<const std::byte *>(at) - cta.shared.data();
  return cta.at(site, fmt::format("accesses {} bytes at byte {} of shared memory, of which there are {}",
                                  bytes, host::grouped(std::int64_t(offset)),
                                  host::grouped(std::int64_t(cta.shared.size()))));
}

}   // namespace tile::simulator
