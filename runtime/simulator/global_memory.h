// SPDX-License-Identifier: MIT
// Global memory as one program sees it. Pointers carry the buffer they came from in their upper bits, as the
// interpreter's do, so that an access that runs over the end of one buffer is found even where another one
// begins.
#pragma once

#include "runtime/host/allocations.h"
#include "runtime/host/pointers.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tile::simulator {

using host::Pointer;

class GlobalMemory {
 public:
  void begin(host::Allocations &allocations, bool checkBounds);
  // Memory of the program's own, which is no buffer.
  void own(void *begin, std::size_t bytes) {
    own_ = reinterpret_cast<std::uintptr_t>(begin);
    ownBytes_ = bytes;
  }

  // The place of `bytes` bytes, or null where they are not all in the pointer's buffer or not aligned.
  std::byte *reach(Pointer pointer, std::size_t bytes, std::size_t alignment) {
    const std::uint16_t buffer = host::buffer_of(pointer);
    Window &window = windows_[buffer % windows_.size()];
    if (window.buffer != buffer || !window.isValid) [[unlikely]]
      turn(window, buffer);
    const std::uintptr_t address = host::address_of(pointer), offset = address - window.begin;
    if (offset < window.bytes && window.bytes - offset >= bytes && (address & (alignment - 1)) == 0)
        [[likely]] {
      reached_ = window.range;
      return reinterpret_cast<std::byte *>(address);
    }
    return buffer == 0 ? reachUnknown(window, address, bytes, alignment) : nullptr;
  }
  // The buffer of the last access that succeeded; null when bounds are not checked.
  const host::Range *reached() const { return reached_; }
  // The buffer in which a plain address lies, as a pointer says it.
  Pointer recognise(std::uint64_t address) const;
  host::Allocations &allocations() const { return *allocations_; }

 private:
  struct Window {
    const host::Range *range = nullptr;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::uint16_t buffer = 0;
    bool isValid = false;
  };
  void turn(Window &window, std::uint16_t buffer) const;
  std::byte *reachUnknown(Window &window, std::uintptr_t address, std::size_t bytes, std::size_t alignment);

  host::Allocations *allocations_ = nullptr;
  bool checkBounds_ = true;
  std::array<Window, 16> windows_;
  const host::Range *reached_ = nullptr;
  std::uintptr_t own_ = 0;
  std::size_t ownBytes_ = 0;
};

}   // namespace tile::simulator
