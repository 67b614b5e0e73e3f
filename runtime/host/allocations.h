// SPDX-License-Identifier: MIT
// The memory of devices that compute in this process: who owns which addresses. An access is
// checked against the buffer that its pointer came from, a stray address is explained by the
// buffer it is nearest to, and writes that slip past all checks are found by the red zones.
//
//   ... red zone | data, aligned to 64 bytes | red zone ...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tile::host {

// One buffer, or memory of the caller that a launch was given.
struct Range {
  std::string name;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  // 1 to 65,533, unique among the live ranges; fits the bits of an address that user space does
  // not have. The others are left to pointers that went astray. 0: all tags were taken, so the range is found
  // by address only.
  std::uint16_t tag = 0;
  bool owned = true;         // false: memory of the caller
  bool is_foreign = false;   // memory of nobody whom the device knows: no bytes, but a name
  std::unique_ptr<std::atomic<unsigned char>[]> written;   // per byte; null when not tracked

  std::uintptr_t end() const { return begin + bytes; }
  bool contains(std::uintptr_t address, std::size_t size = 1) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

// Any number of threads may use one; a range that is in use must not be released meanwhile.
class Allocations {
 public:
  enum class Track { nothing, written_bytes };
  static constexpr std::size_t alignment = 128, red_zone = 128;
  static constexpr std::uint64_t null_page = 4096;
  // Fresh memory holds NaN in every float format and -1 in every signed integer, so that a read
  // of it shows in the result, the same way every time.
  static constexpr unsigned char fresh_byte = 0xFF, red_zone_byte = 0xC5;

  explicit Allocations(Track track = Track::nothing);
  ~Allocations();
  Allocations(const Allocations &) = delete;
  Allocations &operator=(const Allocations &) = delete;

  // Throws tile::Error naming buffer and size when there is not that much memory. Zero bytes
  // give an address of their own.
  void *allocate(std::size_t bytes, std::string_view name);
  // Null is allowed. What is found wrong is kept for take_reports().
  void release(void *address) noexcept;

  // Memory of the caller, known while the returned handle lives. It may overlap anything.
  class Adopted {
   public:
    Adopted(Adopted &&other) noexcept;
    Adopted &operator=(Adopted &&) = delete;
    ~Adopted();
    const Range &range() const { return *range_; }

   private:
    friend class Allocations;
    Adopted(Allocations &owner, const Range &range) : owner_(&owner), range_(&range) {}
    Allocations *owner_;
    const Range *range_;
  };
  Adopted adopt(void *address, std::size_t bytes, std::string_view name);
  // An address that is in no memory that the device knows: reports say by which name it came.
  Adopted adopt_foreign(std::uint64_t address, std::string_view name);
  // Whether an address may be that of something: not null, nor a few bytes behind it.
  static bool is_far_from_null(std::uint64_t address) { return address >= null_page; }

  // The range that holds the address, or null. A range's end belongs to no one.
  const Range *find(std::uintptr_t address) const;
  // The range that a pointer belongs to which a launch is given: also the one that ends there, so that
  // a pointer to an empty buffer or behind the last element still has a name in reports.
  const Range *owner(std::uintptr_t address) const;
  // Null for 0 and for tags that are not in use. Takes no lock.
  const Range *by_tag(std::uint16_t tag) const { return by_tag_[tag].load(std::memory_order_acquire); }
  // For messages: "8 bytes past the end of buffer `x` (4096 bytes)", "in buffer `x`, which was
  // released", "a null pointer".
  std::string describe(std::uintptr_t address) const;
  // The name of the buffer in which the address was before the buffer was released; or "".
  std::string released_buffer(std::uintptr_t address) const;
  // The range in which an operation of the host is to happen; throws tile::Error if the bytes
  // are not inside one: "copy to the device: 512 bytes do not fit ...".
  const Range &require(const void *address, std::size_t bytes, std::string_view operation) const;

  // The shadow of written bytes; nothing happens, and everything counts as written, where it is
  // not tracked.
  static void mark_written(const Range &range, std::size_t offset, std::size_t bytes);
  static std::optional<std::size_t> first_unwritten(const Range &range, std::size_t offset,
                                                    std::size_t bytes);

  // Looks at the red zones of all live buffers and adds to the reports.
  void check_red_zones();
  // What was found since the last call: damaged red zones, releases of what is no buffer.
  std::vector<std::string> take_reports();

  std::size_t live_buffers() const;
  std::size_t live_bytes() const;

 private:
  struct Block;       // an owned range with its memory
  struct Released {   // remembered for describe()
    std::string name;
    std::uintptr_t begin, end;
  };

  std::uint16_t take_tag();
  void publish(Range &range);
  void withdraw(const Range &range);
  void forget(const Range &range) noexcept;
  const Released *released_locked(std::uintptr_t address) const;
  std::string describe_locked(std::uintptr_t address) const;
  const Range *find_locked(std::uintptr_t address) const;
  const Range *owner_locked(std::uintptr_t address) const;
  const Range *nearest_locked(std::uintptr_t address) const;
  void check_block(Block &block);

  const Track track_;
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, std::unique_ptr<Block>> blocks_;   // by address; they do not overlap
  std::vector<std::unique_ptr<Range>> adopted_;               // a few per launch
  std::vector<std::unique_ptr<Range>> foreign_;
  std::unique_ptr<std::atomic<const Range *>[]> by_tag_;
  std::uint32_t next_tag_ = 1;
  std::deque<std::uint16_t> free_tags_;   // the one that is free for longest comes first
  std::deque<Released> released_;
  std::vector<std::string> reports_;
};

}   // namespace tile::host
