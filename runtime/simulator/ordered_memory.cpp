// SPDX-License-Identifier: MIT
// The shadow where threads are ordered by mbarriers, named barriers and the like. `Shadow::written` is a
// clock of `writer`, and `Shadow::read` a set of readers. A granule that no ordinary access has touched since
// an asynchronous copy wrote it has no shadows of bytes: that keeps large copies cheap.
#include "runtime/simulator/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tile::simulator {

using Conflict = SharedMemory::Conflict;

void SharedMemory::expand(std::size_t number) {
  Granule &g = granules_[number];
  if (g.isExpanded)
    return;
  g.isExpanded = true;
  for (std::size_t i = number * granule; i < (number + 1) * granule; ++i)
    shadow_[i] = {.written = g.written, .writeSite = g.writeSite, .writer = g.writer};
}

// What an ordinary access may run into.
Conflict SharedMemory::touched(std::size_t offset, std::size_t bytes, bool isWrite, unsigned thread) {
  for (std::size_t i = offset / 8; i <= (offset + bytes - 1) / 8; ++i)
    if (isBarrier_[i]) [[unlikely]]
      return {Trouble::barrierObject, i * 8};
  for (std::size_t i = offset / granule; i <= (offset + bytes - 1) / granule; ++i) {
    Granule &g = granules_[i];
    const std::size_t at = std::max(offset, i * granule);
    if (g.writes) [[unlikely]]
      return {Trouble::inFlight, at, g.began, g.writeSite};
    if (isWrite) {
      if (g.reads) [[unlikely]]
        return {Trouble::beingRead, at, g.readBy, g.readSite};
      if (const auto *reader = readers_->unknownTo(g.readers, thread, *order_)) [[unlikely]]
        return {Trouble::unorderedRead, at, reader->actor, g.readSite};
    }
    expand(i);
  }
  return {};
}

// A byte without a value: a copy is on its way, or nothing was stored.
Conflict SharedMemory::missing(const Shadow &s, std::size_t offset) const {
  if (s.inFlight) [[unlikely]]
    return {Trouble::inFlight, offset, s.writer, s.writeSite};
  if (s.written == 0) [[unlikely]]
    return {Trouble::unwritten, offset};
  return {};
}

// Who reads or overwrites a byte has to know of its last writer, and of all updates since.
Conflict SharedMemory::changed(const Shadow &s, unsigned thread, std::size_t offset) const {
  if (!order_->isBefore(s.writer, s.written, thread)) [[unlikely]]
    return {Trouble::unorderedWrite, offset, s.writer, s.writeSite};
  if (const auto *other = readers_->unknownTo(s.updates, thread, *order_)) [[unlikely]]
    return {Trouble::unorderedWrite, offset, other->actor, s.writeSite};
  return {};
}

// Who overwrites a byte has to know of all readers, too.
Conflict SharedMemory::overwritten(const Shadow &s, unsigned thread, std::size_t offset) const {
  if (const Conflict conflict = changed(s, thread, offset)) [[unlikely]]
    return conflict;
  if (const auto *reader = readers_->unknownTo(s.read, thread, *order_)) [[unlikely]]
    return {Trouble::unorderedRead, offset, reader->actor, s.readSite};
  return {};
}

Conflict SharedMemory::readOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes) {
  if (const Conflict conflict = touched(offset, bytes, false, thread)) [[unlikely]]
    return conflict;
  const ReaderSets::Reader reader{static_cast<Actor>(thread), order_->now(thread)};
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (const Conflict conflict = missing(s, i)) [[unlikely]]
      return conflict;
    if (const Conflict conflict = changed(s, thread, i)) [[unlikely]]
      return conflict;
    s.read = readers_->add(s.read, reader, thread, *order_);
    s.readSite = site;
  }
  return {};
}

Conflict SharedMemory::writeOrdered(unsigned thread, unsigned site, std::size_t offset,
                                    const std::byte *values, std::size_t bytes) {
  if (const Conflict conflict = touched(offset, bytes, true, thread)) [[unlikely]]
    return conflict;
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (s.inFlight) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (const Conflict conflict = overwritten(s, thread, i)) [[unlikely]] {
      const bool isReplica = conflict.trouble == Trouble::unorderedWrite &&
                             data_.get()[i] == values[i - offset] && s.read == 0 && s.updates == 0;
      if (!isReplica)
        return conflict;
    }
    s = {.written = order_->now(thread), .writeSite = site, .writer = static_cast<std::uint16_t>(thread)};
  }
  std::memcpy(data_.get() + offset, values, bytes);
  return {};
}

// Of other updates the thread need not know.
Conflict SharedMemory::updateOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes) {
  if (const Conflict conflict = touched(offset, bytes, true, thread)) [[unlikely]]
    return conflict;
  const ReaderSets::Reader updater{static_cast<Actor>(thread), order_->now(thread)};
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (const Conflict conflict = missing(s, i)) [[unlikely]]
      return conflict;
    const ReaderSets::Set others = std::exchange(s.updates, 0);
    if (const Conflict conflict = overwritten(s, thread, i)) [[unlikely]]
      return conflict;
    s.updates = readers_->add(others, updater, thread, *order_);
    s.writeSite = site;
  }
  return {};
}

Conflict SharedMemory::departOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes,
                                     const std::byte *source) {
  static const std::byte zeros{};
  if (const Conflict conflict = touched(offset, bytes, true, thread)) [[unlikely]]
    return conflict;
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    const std::byte *from = source ? source + (i - offset) : &zeros;
    const bool isSame = s.source == from && s.writer != thread;
    if (s.inFlight && !isSame) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (!isSame)
      if (const Conflict conflict = overwritten(s, thread, i)) [[unlikely]]
        return conflict;
    ++s.inFlight;
    s.read = s.updates = 0;
    s.source = from;
    s.writer = static_cast<std::uint16_t>(thread);
    s.writeSite = site;
  }
  return {};
}

void SharedMemory::arrive(Actor actor, Clock clock, std::size_t offset, std::size_t bytes) {
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    --s.inFlight;
    s.written = clock;
    s.writer = actor;
  }
}

// ---- asynchronous operations

Conflict SharedMemory::beginWrite(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes) {
  for (std::size_t i = offset / 8; i < (offset + bytes) / 8; ++i)
    if (isBarrier_[i]) [[unlikely]]
      return {Trouble::barrierObject, i * 8};
  for (std::size_t i = offset / granule; i < (offset + bytes) / granule; ++i) {
    Granule &g = granules_[i];
    if (g.writes) [[unlikely]]
      return {Trouble::inFlight, i * granule, g.began, g.writeSite};
    if (g.reads) [[unlikely]]
      return {Trouble::beingRead, i * granule, g.readBy, g.readSite};
    if (const auto *reader = readers_->unknownTo(g.readers, thread, *order_)) [[unlikely]]
      return {Trouble::unorderedRead, i * granule, reader->actor, g.readSite};
    if (!g.isExpanded) {
      if (!order_->isBefore(g.writer, g.written, thread)) [[unlikely]]
        return {Trouble::unorderedWrite, i * granule, g.writer, g.writeSite};
    } else {
      for (std::size_t byte = i * granule; byte < (i + 1) * granule; ++byte) {
        const Shadow &s = shadow_[byte];
        if (s.inFlight) [[unlikely]]
          return {Trouble::inFlight, byte, s.writer, s.writeSite};
        if (const Conflict conflict = overwritten(s, thread, byte)) [[unlikely]]
          return conflict;
      }
    }
    ++g.writes;
    g.began = static_cast<std::uint16_t>(thread);
    g.writeSite = site;
  }
  return {};
}

void SharedMemory::endWrite(std::size_t offset, std::size_t bytes, Actor actor, Clock clock) {
  for (std::size_t i = offset / granule; i < (offset + bytes) / granule; ++i) {
    Granule &g = granules_[i];
    --g.writes;
    g.isExpanded = false;
    g.writer = actor;
    g.written = clock;
    g.readers = 0;
  }
}

Conflict SharedMemory::beginRead(unsigned thread, unsigned site, std::span<const std::uint32_t> places,
                                 std::vector<Stamp> *stamps) {
  Clock lastWritten = 0;   // the last one that was looked at, and found right
  unsigned lastWriter = 0;
  bool wasOrdinary = false;
  const auto check = [&](Actor writer, Clock written, unsigned by, bool isOrdinary,
                         std::size_t at) -> Conflict {
    if (written == 0) [[unlikely]]
      return {Trouble::unwritten, at};
    if (!order_->isBefore(writer, written, thread)) [[unlikely]]
      return {Trouble::unorderedWrite, at, writer, by};
    if (isOrdinary && !order_->isFencedBefore(writer, written, thread)) [[unlikely]]
      return {Trouble::unfenced, at, writer, by};
    lastWriter = writer;
    lastWritten = written;
    wasOrdinary = isOrdinary;
    const auto isKnown = [&](const Stamp &s) { return s.writer == writer && s.written == written; };
    if (stamps && std::none_of(stamps->begin(), stamps->end(), isKnown))
      stamps->push_back({writer, written, by, isOrdinary});
    return {};
  };
  const auto isLast = [&](Actor writer, Clock written, bool isOrdinary) {
    return written == lastWritten && writer == lastWriter && isOrdinary == wasOrdinary && written;
  };
  for (const std::uint32_t place : places) {
    Granule &g = granules_[place / granule];
    if (g.writes) [[unlikely]]
      return {Trouble::inFlight, place, g.began, g.writeSite};
    if (!g.isExpanded) {
      if (!isLast(g.writer, g.written, false))
        if (const Conflict conflict = check(g.writer, g.written, g.writeSite, false, place)) [[unlikely]]
          return conflict;
    } else {
      for (std::size_t byte = place; byte < place + granule; ++byte) {
        const Shadow &s = shadow_[byte];
        if (s.inFlight) [[unlikely]]
          return {Trouble::inFlight, byte, s.writer, s.writeSite};
        if (const auto *other = readers_->unknownTo(s.updates, thread, *order_)) [[unlikely]]
          return {Trouble::unorderedWrite, byte, other->actor, s.writeSite};
        if (!isLast(s.writer, s.written, true))
          if (const Conflict conflict = check(s.writer, s.written, s.writeSite, true, byte)) [[unlikely]]
            return conflict;
      }
    }
    ++g.reads;
    g.readBy = static_cast<std::uint16_t>(thread);
    g.readSite = site;
  }
  return {};
}

Conflict SharedMemory::beginRead(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes) {
  return beginRead(thread, site, placesOf(offset, bytes), nullptr);
}

std::span<const std::uint32_t> SharedMemory::placesOf(std::size_t offset, std::size_t bytes) {
  places_.clear();
  for (std::size_t at = offset; at < offset + bytes; at += granule)
    places_.push_back(static_cast<std::uint32_t>(at));
  return places_;
}

Conflict SharedMemory::knows(unsigned thread, const std::vector<Stamp> &stamps) const {
  for (const Stamp &stamp : stamps) {
    if (!order_->isBefore(stamp.writer, stamp.written, thread)) [[unlikely]]
      return {Trouble::unorderedWrite, 0, stamp.writer, stamp.site};
    if (stamp.isOrdinary && !order_->isFencedBefore(stamp.writer, stamp.written, thread)) [[unlikely]]
      return {Trouble::unfenced, 0, stamp.writer, stamp.site};
  }
  return {};
}

Conflict SharedMemory::unknownTo(unsigned thread, std::size_t offset, std::size_t bytes) {
  if (const Conflict conflict = touched(offset, bytes, false, thread)) [[unlikely]]
    return conflict;
  for (std::size_t i = offset; i < offset + bytes; ++i)
    if (const Conflict conflict = changed(shadow_[i], thread, i)) [[unlikely]]
      return conflict;
  return {};
}

void SharedMemory::endRead(unsigned thread, std::span<const std::uint32_t> places,
                           ReaderSets::Reader reader) {
  ReaderSets::Set last = 0, then = readers_->add(0, reader, thread, *order_);
  for (const std::uint32_t place : places) {
    Granule &g = granules_[place / granule];
    --g.reads;
    if (g.readers != last) {
      last = g.readers;
      then = readers_->add(last, reader, thread, *order_);
    }
    g.readers = then;
  }
}

void SharedMemory::endRead(unsigned thread, std::size_t offset, std::size_t bytes,
                           ReaderSets::Reader reader) {
  endRead(thread, placesOf(offset, bytes), reader);
}

}   // namespace tile::simulator
