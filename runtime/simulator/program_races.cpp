// SPDX-License-Identifier: MIT
#include "runtime/simulator/program_races.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tile::simulator {
namespace {

// What is more is not looked at: 128 MiB of memory.
constexpr std::size_t mostGranules = std::size_t{1} << 21, mostPrograms = std::size_t{1} << 22;
// Of one granule. Where more programs write to it, the oldest writes are let go.
constexpr std::size_t mostWrites = 64;

}   // namespace

template <class Visit> void ProgramRaces::forEachPart(const std::byte *at, std::size_t bytes, Visit visit) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t first = (address + done) % granuleBytes;
    const std::size_t count = std::min(granuleBytes - first, bytes - done);
    visit(Part{(address + done) / granuleBytes, first, count, done});
    done += count;
  }
}

// Its program has told nothing since.
bool ProgramRaces::isOfThisTime(const Access &access) { return access.program->synchronized < access.time; }

// The program of the earlier access has told something since, and this one may have been told.
bool ProgramRaces::isOrdered(const Access &earlier, const Program &program) {
  return earlier.program == &program || (!isOfThisTime(earlier) && program.synchronized > earlier.time);
}

void ProgramRaces::clear() {
  const std::lock_guard lock(mutex_);
  time_ = 0;
  granules_.clear();
  programs_.clear();
}

ProgramRaces::Program *ProgramRaces::begin(const std::array<std::int32_t, 3> &id) {
  const std::lock_guard lock(mutex_);
  return programs_.size() < mostPrograms ? &programs_.emplace_back(Program{.id = id}) : nullptr;
}

ProgramRaces::Granule *ProgramRaces::find(std::uintptr_t number) {
  const auto found = granules_.find(number);
  if (found != granules_.end())
    return &found->second;
  return granules_.size() < mostGranules ? &granules_[number] : nullptr;
}

std::uint64_t ProgramRaces::now(Program &program) {
  if (program.asks) {
    program.asks = false;
    program.synchronized = ++time_;
  }
  return ++time_;
}

// Who has written the bytes in the ordinary way has told something by that, too.
void ProgramRaces::signal(Program &program, Granule *granule, Mask bytes) {
  if (granule) {
    granule->signals |= bytes;
    for (const Write &write : granule->writes)
      if (write.bytes & bytes)
        write.program->synchronized = std::max(write.program->synchronized, write.last);
  }
  program.synchronized = ++time_;
  program.asks = true;
}

ProgramRaces::Mask ProgramRaces::withoutSignals(Program &program, Granule &granule, Mask bytes) {
  if (bytes & granule.signals)
    signal(program, &granule, bytes & granule.signals);
  return bytes & ~granule.signals;
}

std::optional<ProgramRaces::Conflict> ProgramRaces::read(Program &program, unsigned site, const Part &part) {
  Granule *granule = find(part.granule);
  const Mask mask = granule ? withoutSignals(program, *granule, part.mask()) : 0;
  if (!mask)
    return std::nullopt;
  const std::uint64_t time = now(program);
  for (const Write &write : granule->writes)
    if (const Mask both = write.changed & mask; both && !isOrdered(write, program))
      return Conflict{part.address() + static_cast<unsigned>(std::countr_zero(both)), write.program->id,
                      write.site, false};
  Access *place = granule->reads.data();
  for (Access &old : granule->reads) {
    if (old.program == &program && isOfThisTime(old)) {
      old.bytes |= mask;
      old.site = site;
      return std::nullopt;
    }
    if (old.program == &program || (place->program != &program && old.time < place->time))
      place = &old;
  }
  *place = {&program, time, mask, site};
  return std::nullopt;
}

std::optional<ProgramRaces::Conflict> ProgramRaces::write(Program &program, unsigned site, const Part &part,
                                                          const std::byte *values) {
  Granule *granule = find(part.granule);
  const Mask mask = granule ? withoutSignals(program, *granule, part.mask()) : 0;
  if (!mask)
    return std::nullopt;
  Write written;
  written.program = &program;
  written.time = written.last = now(program);
  written.bytes = mask;
  written.site = site;
  std::memcpy(written.values.data() + part.first, values + part.done, part.count);
  const auto differing = [&](const std::byte *others) {
    Mask differ = 0;
    for (std::size_t i = part.first; i < part.first + part.count; ++i)
      differ |= Mask{others[i] != written.values[i]} << i;
    return differ & mask;
  };
  const auto conflict = [&](const Access &other, Mask both, bool wasRead) {
    return Conflict{part.address() + static_cast<unsigned>(std::countr_zero(both)), other.program->id,
                    other.site, wasRead};
  };
  written.changed = differing(reinterpret_cast<const std::byte *>(part.address()));
  for (const Write &write : granule->writes)
    if ((write.bytes & mask) && !isOrdered(write, program))
      if (const Mask both = write.bytes & differing(write.values.data()))
        return conflict(write, both, false);
  for (const Access &read : granule->reads)
    if (const Mask both = read.bytes & written.changed; both && !isOrdered(read, program))
      return conflict(read, both, true);

  // What the program writes anew it has not written before.
  for (Write &old : granule->writes) {
    const bool isOfNow = isOfThisTime(old);
    if (old.program != &program || (!isOfNow && (old.bytes & ~mask)))
      continue;
    std::copy_n(written.values.begin() + static_cast<std::ptrdiff_t>(part.first), part.count,
                old.values.begin() + static_cast<std::ptrdiff_t>(part.first));
    old.bytes |= mask;
    old.changed |= written.changed;
    old.site = site;
    old.last = written.last;
    if (!isOfNow)
      old.time = written.time;
    return std::nullopt;
  }
  if (granule->writes.size() < mostWrites)
    granule->writes.push_back(written);
  else
    *std::ranges::min_element(granule->writes, {}, &Write::last) = written;
  return std::nullopt;
}

std::optional<ProgramRaces::Conflict> ProgramRaces::read(Program &program, unsigned site, const std::byte *at,
                                                         std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::optional<Conflict> found;
  forEachPart(at, bytes, [&](const Part &part) {
    if (!found)
      found = read(program, site, part);
  });
  return found;
}

std::optional<ProgramRaces::Conflict> ProgramRaces::write(Program &program, unsigned site,
                                                          const std::byte *at, const std::byte *values,
                                                          std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::optional<Conflict> found;
  forEachPart(at, bytes, [&](const Part &part) {
    if (!found)
      found = write(program, site, part, values);
  });
  return found;
}

void ProgramRaces::synchronize(Program &program, const std::byte *at, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  forEachPart(at, bytes, [&](const Part &part) { signal(program, find(part.granule), part.mask()); });
}

}   // namespace tile::simulator
