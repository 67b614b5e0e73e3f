// SPDX-License-Identifier: MIT
// Shared memory of one program, with a shadow of each byte: who wrote it and who read it since which
// barrier. Barriers cut time into epochs: what two threads do in the same epoch has no order, so a
// conflict is found whether or not it did harm in this run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tile::simulator {

class SharedMemory {
 public:
  static constexpr unsigned char poison = 0xFF;   // NaN in every float format

  enum class Trouble { none, unwritten, unorderedWrite, unorderedRead, inFlight };
  // What is wrong with an access: the first byte of trouble, and the other access.
  struct Conflict {
    Trouble trouble = Trouble::none;
    std::size_t offset = 0;
    unsigned thread = 0, site = 0;
    explicit operator bool() const { return trouble != Trouble::none; }
  };

  // For a new program: nothing is written.
  void begin(std::size_t bytes);
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

 private:
  struct Shadow {
    std::uint32_t written = 0, read = 0;   // epochs
    std::uint32_t writeSite = 0, readSite = 0;
    std::uint16_t writer = 0, reader = 0;
    std::uint16_t inFlight = 0;   // copies
    bool manyReaders = false;
    bool isUpdated = false, manyUpdaters = false;   // since the last barrier, and not stored to after that
    const std::byte *source = nullptr;              // of the last copy; null after a store
  };
  // Somebody else has written the byte since the last barrier.
  bool hasOtherWriter(const Shadow &s, unsigned thread) const {
    return s.written == epoch_ && (s.writer != thread || s.manyUpdaters);
  }
  Conflict conflictWithReaders(const Shadow &s, unsigned thread, std::size_t offset) const;

  struct Free {
    void operator()(std::byte *memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<Shadow> shadow_;
  std::uint32_t epoch_ = 1, first_ = 1;   // first_: of this program
};

}   // namespace tile::simulator
