// SPDX-License-Identifier: MIT
// Shared memory of one program, with a shadow of each byte: who wrote it and who read it since which
// barrier. Barriers cut time into epochs: what two threads do in the same epoch has no order, so a
// conflict is found whether or not it did harm in this run. Where threads are ordered by other means as well
// (order.h), the shadow holds clocks in the place of epochs, and a granule of 16 bytes has one of its own for
// what asynchronous operations do to it as a whole (ordered_memory.cpp).
#pragma once

#include "runtime/simulator/order.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tile::simulator {

class SharedMemory {
 public:
  static constexpr unsigned char poison = 0xFF;   // NaN in every float format

  enum class Trouble {
    none,
    unwritten,
    unorderedWrite,
    unorderedRead,
    inFlight,
    beingRead,       // by an asynchronous operation
    unfenced,        // written in the ordinary way, without a fence for the asynchronous reader
    barrierObject,   // a live mbarrier is there
  };
  // What is wrong with an access: the first byte of trouble, and the other access.
  struct Conflict {
    Trouble trouble = Trouble::none;
    std::size_t offset = 0;
    unsigned thread = 0, site = 0;
    explicit operator bool() const { return trouble != Trouble::none; }
  };

  // For a new program: nothing is written. With an order, threads are numbered in their cluster.
  void begin(std::size_t bytes, Order *order = nullptr, ReaderSets *readers = nullptr);
  std::byte *data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool contains(const void *at, std::size_t bytes, std::size_t &offset) const {
    offset = static_cast<std::size_t>(static_cast<const std::byte *>(at) - data_.get());
    return offset <= size_ && bytes <= size_ - offset;
  }
  // All threads have met.
  void barrier() { ++epoch_; }

  Conflict read(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  // Writing what another thread has written as well is no conflict: replicas of an element are stored once
  // each.
  Conflict write(unsigned thread, unsigned site, std::size_t offset, const std::byte *values,
                 std::size_t bytes);
  // A word changes as one operation: among themselves these need no order.
  Conflict update(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  // An asynchronous copy begins: until `arrive`, nobody may touch the bytes, but for another copy of the same
  // `source` to the same place. No source: zeros.
  Conflict depart(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes,
                  const std::byte *source);
  void arrive(unsigned thread, std::size_t offset, std::size_t bytes);
  // The same, where an order says who may know of it.
  void arrive(Actor actor, Clock clock, std::size_t offset, std::size_t bytes);

  // ---- asynchronous operations on granules of 16 bytes; only with an order

  static constexpr std::size_t granule = 16;
  struct Stamp {
    Actor writer = 0;
    Clock written = 0;
    unsigned site = 0;
    bool isOrdinary = false;   // needs a fence
    bool operator==(const Stamp &) const = default;
  };
  // A bulk copy begins to write, and has written: who saw `clock` of `actor` may look.
  Conflict beginWrite(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  void endWrite(std::size_t offset, std::size_t bytes, Actor actor, Clock clock);
  // An asynchronous operation that the thread began may read these granules until endRead. What it reads was
  // written by `stamps`, if given, for the others who begin the same operation. Places are offsets.
  Conflict beginRead(unsigned thread, unsigned site, std::span<const std::uint32_t> places,
                     std::vector<Stamp> *stamps);
  Conflict beginRead(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  Conflict knows(unsigned thread, const std::vector<Stamp> &stamps) const;
  // What was written here without the thread's knowing of it. For those who take part in what another reads.
  Conflict unknownTo(unsigned thread, std::size_t offset, std::size_t bytes);
  // `reader`: who may overwrite it has seen this.
  void endRead(unsigned thread, std::span<const std::uint32_t> places, ReaderSets::Reader reader);
  void endRead(unsigned thread, std::size_t offset, std::size_t bytes, ReaderSets::Reader reader);

  // mbarriers, 8 bytes each, which nothing else may touch.
  void place(std::size_t offset, bool isBarrier) { isBarrier_[offset / 8] = isBarrier; }

 private:
  struct Shadow {
    std::uint32_t written = 0, read = 0;   // epochs
    std::uint32_t writeSite = 0, readSite = 0;
    std::uint16_t writer = 0, reader = 0;
    std::uint16_t inFlight = 0;   // copies
    bool manyReaders = false;
    bool isUpdated = false, manyUpdaters = false;   // since the last barrier, and not stored to after that
    ReaderSets::Set updates = 0;                    // since the last store, where there is an order
    const std::byte *source = nullptr;              // of the last copy; null after a store
  };
  // Somebody else has written the byte since the last barrier.
  bool hasOtherWriter(const Shadow &s, unsigned thread) const {
    return s.written == epoch_ && (s.writer != thread || s.manyUpdaters);
  }
  Conflict conflictWithReaders(const Shadow &s, unsigned thread, std::size_t offset) const;

  struct Granule {
    Clock written = 0;   // unless expanded
    std::uint32_t writeSite = 0, readSite = 0;
    ReaderSets::Set readers = 0;   // asynchronous operations
    Actor writer = 0;
    std::uint16_t began = 0, reads = 0, writes = 0, readBy = 0;   // on their way, and by whom
    bool isExpanded = false;                                      // bytes have shadows of their own
  };
  Conflict readOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  Conflict writeOrdered(unsigned thread, unsigned site, std::size_t offset, const std::byte *values,
                        std::size_t bytes);
  Conflict updateOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes);
  Conflict departOrdered(unsigned thread, unsigned site, std::size_t offset, std::size_t bytes,
                         const std::byte *source);
  Conflict touched(std::size_t offset, std::size_t bytes, bool isWrite, unsigned thread);
  void expand(std::size_t number);
  std::span<const std::uint32_t> placesOf(std::size_t offset, std::size_t bytes);
  Conflict missing(const Shadow &s, std::size_t offset) const;
  Conflict changed(const Shadow &s, unsigned thread, std::size_t offset) const;
  Conflict overwritten(const Shadow &s, unsigned thread, std::size_t offset) const;

  struct Free {
    void operator()(std::byte *memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<Shadow> shadow_;
  std::uint32_t epoch_ = 1, first_ = 1;   // first_: of this program

  Order *order_ = nullptr;
  ReaderSets *readers_ = nullptr;
  std::vector<Granule> granules_;
  std::vector<bool> isBarrier_;
  std::vector<std::uint32_t> places_;   // of the last question
};

}   // namespace tile::simulator
