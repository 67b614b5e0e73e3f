// SPDX-License-Identifier: MIT
#include "runtime/simulator/global_memory.h"

namespace tile::simulator {

void GlobalMemory::begin(host::Allocations &allocations, bool checkBounds) {
  allocations_ = &allocations;
  checkBounds_ = checkBounds;
  windows_ = {};
  reached_ = nullptr;
}

void GlobalMemory::turn(Window &window, std::uint16_t buffer) const {
  window = {.buffer = buffer, .isValid = true};
  if (!checkBounds_) {
    window.bytes = host::address_mask;
  } else if (buffer != 0 && buffer != host::nowhere) {
    if (const host::Range *range = allocations_->by_tag(buffer)) {
      window.range = range;
      window.begin = range->begin;
      window.bytes = range->bytes;
    }
  }
}

// A pointer that came from nowhere in particular may be used wherever its address is good.
std::byte *GlobalMemory::reachUnknown(Window &window, std::uintptr_t address, std::size_t bytes,
                                      std::size_t alignment) {
  if (address >= own_ && address - own_ < ownBytes_ && bytes <= ownBytes_ - (address - own_)) {
    reached_ = nullptr;
    return reinterpret_cast<std::byte *>(address);
  }
  const host::Range *range = checkBounds_ ? allocations_->find(address) : nullptr;
  if (!range || !range->contains(address, bytes) || (address & (alignment - 1)) != 0)
    return nullptr;
  window.range = range;
  window.begin = range->begin;
  window.bytes = range->bytes;
  reached_ = range;
  return reinterpret_cast<std::byte *>(address);
}

Pointer GlobalMemory::recognise(std::uint64_t address) const {
  if (!checkBounds_ || address >> host::address_bits)
    return host::untagged(address);
  const host::Range *range = allocations_->owner(address);
  return host::pointer_to(address, range ? range->tag : 0);
}

}   // namespace tile::simulator
