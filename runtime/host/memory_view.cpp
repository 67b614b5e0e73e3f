// SPDX-License-Identifier: MIT
#include "runtime/host/memory_view.h"

namespace tile::host {

void MemoryView::begin(const Allocations &allocations, bool checks_bounds) {
  allocations_ = &allocations;
  checks_bounds_ = checks_bounds;
  windows_ = {};
  reached_ = nullptr;
}

void MemoryView::move_to(Window &window, std::uint16_t buffer) const {
  window = {.buffer = buffer, .is_valid = true, .is_known = buffer != 0};
  if (!checks_bounds_) {
    window.bytes = address_mask;
  } else if (buffer != 0 && buffer != nowhere) {
    if (const Range *range = allocations_->by_tag(buffer); range && range->is_foreign) {
      window.is_known = false;
    } else if (range) {
      window.range = range;
      window.begin = range->begin;
      window.bytes = range->bytes;
    }
  }
}

// A pointer that came from nowhere in particular may be used wherever its address is good.
std::byte *MemoryView::reach_unknown(Window &window, std::uintptr_t address, std::size_t bytes,
                                     std::size_t alignment) {
  if (address >= own_ && address - own_ < own_bytes_ && bytes <= own_bytes_ - (address - own_)) {
    reached_ = nullptr;
    return reinterpret_cast<std::byte *>(address);
  }
  const Range *range = checks_bounds_ ? allocations_->find(address) : nullptr;
  if (!range || !range->contains(address, bytes) || (address & (alignment - 1)) != 0)
    return nullptr;
  window.range = range;
  window.begin = range->begin;
  window.bytes = range->bytes;
  reached_ = range;
  return reinterpret_cast<std::byte *>(address);
}

Pointer MemoryView::recognise(std::uint64_t address) const {
  if (!checks_bounds_ || address >> address_bits)
    return untagged(address);
  if (reached_ && reached_->tag && reached_->contains(address))
    return pointer_to(address, reached_->tag);
  const Range *range = allocations_->owner(address);
  return pointer_to(address, range ? range->tag : 0);
}

}   // namespace tile::host
