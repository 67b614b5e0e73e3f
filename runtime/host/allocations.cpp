// SPDX-License-Identifier: MIT
// An ordered map of what is owned, a short list of what is
// lent, and an array from tags to ranges that is read without a lock.
#include "runtime/host/allocations.h"

#include "runtime/error.h"
#include "runtime/host/pointers.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

namespace tile::host {
namespace {

constexpr std::size_t tag_count = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
constexpr std::size_t remembered_releases = 256;
// A pointer that is further away from all buffers did not stray from the nearest one.
constexpr std::uintptr_t far = std::uintptr_t{1} << 20;

std::string quoted(const Range &range) {
  return (range.owned ? "buffer `" : "host memory `") + range.name + "` (" + std::to_string(range.bytes) +
         (range.bytes == 1 ? " byte)" : " bytes)");
}

std::string bytes_text(std::uintptr_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// How far an address is from a range that does not hold it.
std::uintptr_t distance(const Range &range, std::uintptr_t address) {
  return address < range.begin ? range.begin - address : address - range.end();
}

// The first byte that is not the red zone's, or null.
const unsigned char *first_damage(const unsigned char *zone) {
  const unsigned char *end = zone + Allocations::red_zone;
  const unsigned char *found =
      std::find_if(zone, end, [](unsigned char byte) { return byte != Allocations::red_zone_byte; });
  return found == end ? nullptr : found;
}

}   // namespace

// The data starts `red_zone` bytes after the memory, and its own size ends it: the rear zone
// follows the last byte directly, so that even one byte too many is seen.
struct Allocations::Block {
  Range range;
  unsigned char *memory = nullptr;
  bool reported = false;

  Block(std::size_t bytes, std::string_view name) {
    memory = static_cast<unsigned char *>(
        ::operator new(bytes + 2 * red_zone, std::align_val_t(alignment), std::nothrow));
    range.name = name;
    range.bytes = bytes;
    range.begin = reinterpret_cast<std::uintptr_t>(memory) + red_zone;
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() { ::operator delete(memory, std::align_val_t(alignment)); }

  unsigned char *rear() const { return memory + red_zone + range.bytes; }
};

Allocations::Allocations(Track track)
    : track_(track), by_tag_(std::make_unique<std::atomic<const Range *>[]>(tag_count)) {
  static_assert(red_zone % alignment == 0);
}

Allocations::~Allocations() = default;

void *Allocations::allocate(std::size_t bytes, std::string_view name) {
  std::unique_ptr<Block> block;
  if (bytes <= std::numeric_limits<std::ptrdiff_t>::max() - 2 * red_zone)
    block = std::make_unique<Block>(bytes, name);
  if (!block || !block->memory)
    throw Error("no memory for buffer `" + std::string(name) + "` of " + bytes_text(bytes), {});
  std::memset(block->memory, red_zone_byte, red_zone);
  std::memset(block->memory + red_zone, fresh_byte, bytes);
  std::memset(block->rear(), red_zone_byte, red_zone);
  if (track_ == Track::written_bytes)
    block->range.written = std::make_unique<std::atomic<unsigned char>[]>(bytes);

  const std::uintptr_t address = block->range.begin;
  std::unique_lock lock(mutex_);
  // What lay here before must not explain addresses any more.
  const std::uintptr_t first = address - red_zone, last = block->range.end() + red_zone;
  std::erase_if(released_, [&](const Released &old) { return old.begin < last && first < old.end; });
  publish(block->range);
  blocks_.emplace(address, std::move(block));
  return reinterpret_cast<void *>(address);
}

void Allocations::release(void *address) noexcept {
  if (!address)
    return;
  std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end()) {
    reports_.push_back("released an address that is not the start of a buffer: " +
                       describe_locked(reinterpret_cast<std::uintptr_t>(address)));
    return;
  }
  Block &block = *found->second;
  check_block(block);
  withdraw(block.range);
  released_.push_back({block.range.name, block.range.begin, block.range.end()});
  if (released_.size() > remembered_releases)
    released_.pop_front();
  blocks_.erase(found);
}

Allocations::Adopted Allocations::adopt(void *address, std::size_t bytes, std::string_view name) {
  auto range = std::make_unique<Range>();
  range->name = name;
  range->begin = reinterpret_cast<std::uintptr_t>(address);
  range->bytes = bytes;
  range->owned = false;
  std::unique_lock lock(mutex_);
  publish(*range);
  adopted_.push_back(std::move(range));
  return Adopted(*this, *adopted_.back());
}

Allocations::Adopted Allocations::adopt_foreign(std::uint64_t address, std::string_view name) {
  auto range = std::make_unique<Range>();
  range->name = name;
  range->begin = address;
  range->owned = false;
  range->is_foreign = true;
  std::unique_lock lock(mutex_);
  publish(*range);
  foreign_.push_back(std::move(range));
  return Adopted(*this, *foreign_.back());
}

Allocations::Adopted::Adopted(Adopted &&other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), range_(std::exchange(other.range_, nullptr)) {}

Allocations::Adopted::~Adopted() {
  if (owner_)
    owner_->forget(*range_);
}

void Allocations::forget(const Range &range) noexcept {
  std::unique_lock lock(mutex_);
  withdraw(range);
  std::erase_if(range.is_foreign ? foreign_ : adopted_,
                [&](const auto &candidate) { return candidate.get() == &range; });
}

std::uint16_t Allocations::take_tag() {
  if (next_tag_ < overflowed)
    return static_cast<std::uint16_t>(next_tag_++);
  if (free_tags_.empty())
    return 0;
  const std::uint16_t tag = free_tags_.front();
  free_tags_.pop_front();
  return tag;
}

void Allocations::publish(Range &range) {
  range.tag = take_tag();
  if (range.tag)
    by_tag_[range.tag].store(&range, std::memory_order_release);
}

void Allocations::withdraw(const Range &range) {
  if (!range.tag)
    return;
  by_tag_[range.tag].store(nullptr, std::memory_order_release);
  free_tags_.push_back(range.tag);
}

const Range *Allocations::find_locked(std::uintptr_t address) const {
  if (const auto after = blocks_.upper_bound(address); after != blocks_.begin())
    if (const Range &range = std::prev(after)->second->range; range.contains(address))
      return &range;
  for (const auto &range : adopted_)
    if (range->contains(address))
      return range.get();
  return nullptr;
}

const Range *Allocations::find(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  return find_locked(address);
}

// Red zones keep buffers apart: an address is the end of at most one.
const Range *Allocations::owner_locked(std::uintptr_t address) const {
  if (const Range *range = find_locked(address))
    return range;
  const Range *near = nearest_locked(address);
  return near && near->contains(address, 0) ? near : nullptr;
}

const Range *Allocations::owner(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  return owner_locked(address);
}

const Range *Allocations::nearest_locked(std::uintptr_t address) const {
  const Range *best = nullptr;
  const auto consider = [&](const Range &range) {
    if (!best || distance(range, address) < distance(*best, address))
      best = &range;
  };
  const auto after = blocks_.upper_bound(address);
  if (after != blocks_.end())
    consider(after->second->range);
  if (after != blocks_.begin())
    consider(std::prev(after)->second->range);
  for (const auto &range : adopted_)
    consider(*range);
  return best;
}

std::string Allocations::describe(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  return describe_locked(address);
}

const Allocations::Released *Allocations::released_locked(std::uintptr_t address) const {
  for (auto entry = released_.rbegin(); entry != released_.rend(); ++entry)
    if (address >= entry->begin && address < entry->end)
      return &*entry;
  return nullptr;
}

std::string Allocations::released_buffer(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  const Released *old = released_locked(address);
  return old ? old->name : "";
}

std::string Allocations::describe_locked(std::uintptr_t address) const {
  if (address < null_page)
    return address == 0 ? "a null pointer" : "a null pointer plus " + bytes_text(address);
  if (const Range *range = find_locked(address))
    return "byte " + std::to_string(address - range->begin) + " of " + quoted(*range);
  if (const Released *old = released_locked(address))
    return "in buffer `" + old->name + "`, which was released";
  const Range *range = nearest_locked(address);
  if (!range)
    return "an address in no buffer: the device has no buffers";
  if (distance(*range, address) > far)
    return "an address in no buffer: it is not memory of this device";
  if (address < range->begin)
    return bytes_text(range->begin - address) + " before " + quoted(*range);
  if (address == range->end())
    return "just past the end of " + quoted(*range);
  return bytes_text(address - range->end()) + " past the end of " + quoted(*range);
}

const Range &Allocations::require(const void *pointer, std::size_t bytes, std::string_view operation) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::shared_lock lock(mutex_);
  const Range *range = owner_locked(address);
  if (!range || !range->contains(address, bytes))
    throw Error(std::string(operation) + ": " + bytes_text(bytes) + (bytes == 1 ? " does" : " do") +
                    " not fit at " + describe_locked(address),
                {});
  return *range;
}

void Allocations::mark_written(const Range &range, std::size_t offset, std::size_t bytes) {
  if (range.written)
    for (std::size_t i = offset; i < offset + bytes; ++i)
      range.written[i].store(1, std::memory_order_relaxed);
}

std::optional<std::size_t> Allocations::first_unwritten(const Range &range, std::size_t offset,
                                                        std::size_t bytes) {
  if (range.written)
    for (std::size_t i = offset; i < offset + bytes; ++i)
      if (!range.written[i].load(std::memory_order_relaxed))
        return i;
  return std::nullopt;
}

void Allocations::check_block(Block &block) {
  if (block.reported)
    return;
  std::string report;
  if (const unsigned char *damage = first_damage(block.rear()))
    report = "memory was overwritten " + bytes_text(static_cast<std::uintptr_t>(damage - block.rear()) + 1) +
             " past the end of " + quoted(block.range);
  else if (const unsigned char *front = first_damage(block.memory))
    report = "memory was overwritten " +
             bytes_text(block.range.begin - reinterpret_cast<std::uintptr_t>(front)) + " before " +
             quoted(block.range);
  if (report.empty())
    return;
  block.reported = true;
  reports_.push_back(std::move(report));
}

void Allocations::check_red_zones() {
  std::unique_lock lock(mutex_);
  for (const auto &[address, block] : blocks_)
    check_block(*block);
}

std::vector<std::string> Allocations::take_reports() {
  std::unique_lock lock(mutex_);
  return std::exchange(reports_, {});
}

std::size_t Allocations::live_buffers() const {
  std::shared_lock lock(mutex_);
  return blocks_.size();
}

std::size_t Allocations::live_bytes() const {
  std::shared_lock lock(mutex_);
  std::size_t sum = 0;
  for (const auto &[address, block] : blocks_)
    sum += block->range.bytes;
  return sum;
}

}   // namespace tile::host
