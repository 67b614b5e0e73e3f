// SPDX-License-Identifier: MIT
#include "runtime/simulator/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tile::simulator {
namespace {
constexpr std::align_val_t alignment{1024};
}

void SharedMemory::Free::operator()(std::byte *memory) const { ::operator delete(memory, alignment); }

void SharedMemory::begin(std::size_t bytes, Order *order, ReaderSets *readers) {
  // Shadows hold clocks where there is an order, else epochs, which are not to be compared with those.
  const bool hadOrder = std::exchange(order_, order) != nullptr;
  readers_ = readers;
  if (order) {   // shadows of bytes come into being when a granule is expanded
    granules_.assign(bytes / granule + 1, {});
    isBarrier_.assign(bytes / 8 + 2, false);
  }
  if (capacity_ < bytes || !data_) {
    data_.reset(static_cast<std::byte *>(::operator new(bytes + 16, alignment)));
    capacity_ = bytes;
    shadow_.assign((bytes / granule + 1) * granule, Shadow{});
  } else if (!order && hadOrder) {
    shadow_.assign(shadow_.size(), Shadow{});
  } else if (!order) {   // those behind were left as they are to be
    for (std::size_t i = 0; i < std::min(std::max(size_, bytes), shadow_.size()); ++i)
      shadow_[i].inFlight = 0;
  }
  size_ = bytes;
  std::memset(data_.get(), poison, bytes);
  if (epoch_ > UINT32_MAX / 2) {
    shadow_.assign(shadow_.size(), Shadow{});
    epoch_ = 0;
  }
  first_ = ++epoch_;
}

SharedMemory::Conflict SharedMemory::read(unsigned thread, unsigned site, std::size_t offset,
                                          std::size_t bytes) {
  if (order_)
    return readOrdered(thread, site, offset, bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (s.inFlight) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (s.written < first_) [[unlikely]]
      return {Trouble::unwritten, i};
    if (hasOtherWriter(s, thread)) [[unlikely]]
      return {Trouble::unorderedWrite, i, s.writer, s.writeSite};
    s.manyReaders = s.read == epoch_ && (s.manyReaders || s.reader != thread);
    s.read = epoch_;
    s.reader = static_cast<std::uint16_t>(thread);
    s.readSite = site;
  }
  return {};
}

SharedMemory::Conflict SharedMemory::conflictWithReaders(const Shadow &s, unsigned thread,
                                                         std::size_t offset) const {
  if (s.read == epoch_ && (s.reader != thread || s.manyReaders))
    return {Trouble::unorderedRead, offset, s.reader, s.readSite};
  return {};
}

SharedMemory::Conflict SharedMemory::write(unsigned thread, unsigned site, std::size_t offset,
                                           const std::byte *values, std::size_t bytes) {
  if (order_)
    return writeOrdered(thread, site, offset, values, bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (s.inFlight) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (hasOtherWriter(s, thread)) {
      if (s.isUpdated || data_.get()[i] != values[i - offset]) [[unlikely]]
        return {Trouble::unorderedWrite, i, s.writer, s.writeSite};
    }
    if (const Conflict conflict = conflictWithReaders(s, thread, i)) [[unlikely]]
      return conflict;
    s.written = epoch_;
    s.writer = static_cast<std::uint16_t>(thread);
    s.writeSite = site;
    s.source = nullptr;
    s.isUpdated = s.manyUpdaters = false;
  }
  std::memcpy(data_.get() + offset, values, bytes);
  return {};
}

SharedMemory::Conflict SharedMemory::update(unsigned thread, unsigned site, std::size_t offset,
                                            std::size_t bytes) {
  if (order_)
    return updateOrdered(thread, site, offset, bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    if (s.inFlight) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (s.written < first_) [[unlikely]]
      return {Trouble::unwritten, i};
    const bool isFirst = s.written < epoch_, isOther = s.writer != thread;
    if (!isFirst && isOther && !s.isUpdated) [[unlikely]]
      return {Trouble::unorderedWrite, i, s.writer, s.writeSite};
    if (const Conflict conflict = conflictWithReaders(s, thread, i)) [[unlikely]]
      return conflict;
    // What the thread has stored itself stays a store, which others may not touch.
    s.isUpdated = isFirst || s.isUpdated;
    s.manyUpdaters = !isFirst && (s.manyUpdaters || isOther);
    s.written = epoch_;
    s.writer = static_cast<std::uint16_t>(thread);
    s.writeSite = site;
    s.source = nullptr;
  }
  return {};
}

SharedMemory::Conflict SharedMemory::depart(unsigned thread, unsigned site, std::size_t offset,
                                            std::size_t bytes, const std::byte *source) {
  if (order_)
    return departOrdered(thread, site, offset, bytes, source);
  static const std::byte zeros{};
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    const std::byte *from = source ? source + (i - offset) : &zeros;
    const bool isSame = s.source == from && s.writer != thread;
    if (s.inFlight && !isSame) [[unlikely]]
      return {Trouble::inFlight, i, s.writer, s.writeSite};
    if (hasOtherWriter(s, thread) && !isSame) [[unlikely]]
      return {Trouble::unorderedWrite, i, s.writer, s.writeSite};
    if (const Conflict conflict = conflictWithReaders(s, thread, i)) [[unlikely]]
      return conflict;
    ++s.inFlight;
    s.source = from;
    s.writer = static_cast<std::uint16_t>(thread);
    s.writeSite = site;
  }
  return {};
}

void SharedMemory::arrive(unsigned thread, std::size_t offset, std::size_t bytes) {
  if (order_)
    return arrive(static_cast<Actor>(thread), order_->now(thread), offset, bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Shadow &s = shadow_[i];
    --s.inFlight;
    s.written = epoch_;
    s.writer = static_cast<std::uint16_t>(thread);
    s.isUpdated = s.manyUpdaters = false;
  }
}

}   // namespace tile::simulator
