// SPDX-License-Identifier: MIT
#include "runtime/simulator/bulk_copies.h"

#include "runtime/simulator/bulk_reduction.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/tensor_boxes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tile::simulator {
namespace {

// A run of bytes of a box, which the swizzle scatters over shared memory in units of 16.
template <class Unit> void forEachUnit(const TensorMap &map, std::uint32_t offset, std::uint32_t bytes,
                                       Unit &&unit) {
  if (map.swizzle == TensorSwizzle::none)
    return unit(offset, 0u, bytes);
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint32_t at = offset + done, step = std::min(16 - at % 16, bytes - done);
    unit(map.swizzled(at), done, step);
    done += step;
  }
}

// An H200's NaN, whatever the format: 0x7FF7, and that repeated (docs/calibration.md).
void fill(const TensorMap &map, std::byte *to, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    to[i] = std::byte(map.fill == TensorFill::zeros ? 0 : i % 2 ? 0x7F : 0xF7);
}

// Elements of tf32 lose 13 bits on their way to shared memory. An H200 rounds to nearest; what it does with
// ties is not known.
void roundToTf32(std::byte *elements, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, elements + 4 * i, 4);
    if ((bits & 0x7F800000) != 0x7F800000)
      bits += 0xFFF + (bits >> 13 & 1);
    bits &= 0xFFFFE000u;
    std::memcpy(elements + 4 * i, &bits, 4);
  }
}

}   // namespace

void BulkCopies::load(Thread &t, BulkLoad load) {
  ++load.barrier->copies;
  load.beganBy = t.actor;
  const Completion when = cluster_.options().completion;
  if (when == Completion::eager)
    return land(t, load);
  if (load.copies.empty())   // what was there is gone
    std::memset(load.cta->shared.data() + load.offset, SharedMemory::poison, load.bytes);
  loads_.push_back(std::move(load));
}

void BulkCopies::landAny(Thread &t) {
  const std::size_t chosen = cluster_.random() % loads_.size();   // they are not ordered among themselves
  BulkLoad load = std::move(loads_[chosen]);
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(chosen));
  land(t, load);
}

void BulkCopies::landCopiesOf(Thread &t) {
  for (std::size_t i = 0; i < loads_.size();)
    if (loads_[i].thread == &t) {
      BulkLoad load = std::move(loads_[i]);
      loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(i));
      land(t, load);
    } else {
      ++i;
    }
}

void BulkCopies::land(Thread &t, BulkLoad &load) {
  MBarrier &b = *load.barrier;
  const Clock clock = b.phase + 1;
  cluster_.progressed();
  if (load.cta->hasEnded())
    t.cta->fail(t, [&] {
      return t.cta->at(load.site,
                       fmt::format("arrives in CTA {} after that CTA has ended; a wait for it is missing",
                                   load.cta->rank()));
    });
  if (load.thread) {
    for (Copy &copy : load.copies) {
      if (!copy.landed && copy.copied)
        std::memcpy(copy.to, copy.from, copy.copied);
      if (!copy.landed)
        std::memset(copy.to + copy.copied, 0, copy.bytes - copy.copied);
      load.cta->shared.arrive(b.actor, clock, copy.offset, copy.bytes);
    }
    return MBarriers::arriveLater(t, b, load.site);
  }
  std::byte *to = load.cta->shared.data();
  if (load.map.isValid()) {
    const unsigned size = load.map.elementBytes();
    forEachRow(load.map, load.coordinates, /*fillsRows=*/false,
               [&](std::uint32_t byte, std::uint64_t address, unsigned first, unsigned count) {
                 std::byte row[2048];
                 const std::uint32_t bytes = load.map.rowBytes();
                 if (count * size != bytes)
                   fill(load.map, row, bytes);
                 if (count)
                   std::memcpy(row + first * size, reinterpret_cast<const void *>(address), count * size);
                 if (load.map.element == TensorElement::tf32)
                   roundToTf32(row + first * size, count);
                 forEachUnit(load.map, load.offset + byte, bytes,
                             [&](std::uint32_t at, std::uint32_t done, std::uint32_t step) {
                               std::memcpy(to + at, row + done, step);
                             });
               });
  } else if (load.reads) {
    std::memcpy(to + load.offset, load.reads->shared.data() + load.readOffset, load.bytes);
    load.reads->shared.endRead(load.beganBy, load.readOffset, load.bytes, {b.actor, clock});
  } else {
    std::memcpy(to + load.offset, load.from, load.bytes);
  }
  load.cta->shared.endWrite(load.offset, load.bytes, b.actor, clock);
  MBarriers::complete(t, b, load.bytes, load.site);
}

// ---- from shared memory

void BulkCopies::store(Thread &t, BulkStore store) {
  store.group = t.bulkCommits;
  if (cluster_.options().completion == Completion::eager) {
    read(t, store);
    write(t, store);
  }
  t.stores.push_back(std::move(store));
}

void BulkCopies::read(Thread &t, BulkStore &s) {
  if (s.hasRead)
    return;
  s.hasRead = true;
  const std::byte *from = t.cta->shared.data();
  s.contents.resize(s.bytes);
  if (!s.map.isValid()) {
    std::memcpy(s.contents.data(), from + s.offset, s.bytes);
    return;
  }
  forEachUnit(s.map, s.offset, s.bytes, [&](std::uint32_t at, std::uint32_t done, std::uint32_t step) {
    std::memcpy(s.contents.data() + done, from + at, step);
  });
}

void BulkCopies::write(Thread &t, BulkStore &s) {
  if (s.hasWritten)
    return;
  read(t, s);
  s.hasWritten = true;
  if (!s.map.isValid()) {
    for (std::uint32_t i = 0; i < s.bytes; ++i)
      if (s.byteMask >> (i % 16) & 1) {
        refuseRace(t, s.to + i, &s.contents[i], 1, 1, s.site);
        s.to[i] = s.contents[i];
      }
    return;
  }
  const unsigned size = s.map.elementBytes();
  forEachRow(s.map, s.coordinates, /*fillsRows=*/s.reduction < 0,
             [&](std::uint32_t byte, std::uint64_t address, unsigned first, unsigned count) {
               auto *to = reinterpret_cast<std::byte *>(address);
               const std::byte *from = s.contents.data() + byte + first * size;
               if (s.reduction < 0) {
                 refuseRace(t, to, from, count * size, size, s.site);
                 std::memcpy(to, from, count * size);
                 return;
               }
               if (ProgramRaces::Program *program = cluster_.racing())
                 cluster_.races().synchronize(*program, to, count * size);
               reduceElements(s.map.element, s.reduction, to, from, count);
             });
}

void BulkCopies::wait(Thread &t, std::uint32_t pending, bool readOnly) {
  const std::uint32_t limit = t.bulkCommits > pending ? t.bulkCommits - pending : 0;
  for (BulkStore &s : t.stores) {
    if (s.group >= limit)
      continue;
    read(t, s);
    if (!s.mayOverwrite)
      t.cta->shared.endRead(t.actor, s.offset, s.bytes,
                            {static_cast<Actor>(t.actor), cluster_.order.now(t.actor)});
    s.mayOverwrite = true;
    if (!readOnly)
      write(t, s);
    if (GlobalWrites *writes = cluster_.writes(); writes && !readOnly)
      writes->copyIsDone(s.number, cluster_.order.now(t.actor));
  }
  if (!readOnly)
    std::erase_if(t.stores, [&](const BulkStore &s) { return s.group < limit; });
}

void BulkCopies::advanceAny(Thread &t) {
  for (BulkStore &s : t.stores)
    if (!s.hasWritten && cluster_.random() % 2) {
      s.hasRead ? write(t, s) : read(t, s);
      return;
    }
}

}   // namespace tile::simulator
