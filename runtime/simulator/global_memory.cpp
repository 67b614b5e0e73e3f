// SPDX-License-Identifier: MIT
#include "runtime/simulator/global_memory.h"

namespace tile::simulator {

using namespace interpreter;

void GlobalMemory::begin(HostAllocations &allocations, bool checkBounds) {
  allocations_ = &allocations;
  checkBounds_ = checkBounds;
  windows_ = {};
  reached_ = nullptr;
}

void GlobalMemory::turn(Window &window, std::uint16_t buffer) const {
  window = {.buffer = buffer, .isValid = true};
  if (!checkBounds_) {
    window.bytes = AddressMask;
  } else if (buffer != 0 && buffer != Nowhere) {
    if (const HostRange *range = allocations_->by_tag(buffer)) {
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
  const HostRange *range = checkBounds_ ? allocations_->find(address) : nullptr;
  if (!range || !range->contains(address, bytes) || (address & (alignment - 1)) != 0)
    return nullptr;
  window.range = range;
  window.begin = range->begin;
  window.bytes = range->bytes;
  reached_ = range;
  return reinterpret_cast<std::byte *>(address);
}

Pointer GlobalMemory::recognise(std::uint64_t address) const {
  if (!checkBounds_ || address >> AddressBits)
    return untagged(address);
  const HostRange *range = allocations_->owner(address);
  return pointerTo(address, range ? range->tag : 0);
}

}   // namespace tile::simulator
