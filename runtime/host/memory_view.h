// SPDX-License-Identifier: MIT
// Global memory as one program sees it. Pointers carry the buffer they came from, so that an access that runs
// over the end of one buffer is found even where another one begins.
#pragma once

#include "runtime/host/allocations.h"
#include "runtime/host/pointers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tile::host {

class MemoryView {
 public:
  void begin(const Allocations &allocations, bool checks_bounds);
  // Memory of the program's own, which is no buffer.
  void own(void *begin, std::size_t bytes) {
    own_ = reinterpret_cast<std::uintptr_t>(begin);
    own_bytes_ = bytes;
  }
  const Allocations &allocations() const { return *allocations_; }

  // The place of `bytes` bytes, or null where they are not all in the pointer's buffer or not aligned.
  std::byte *reach(Pointer pointer, std::size_t bytes, std::size_t alignment) {
    const std::uint16_t buffer = buffer_of(pointer);
    Window &window = windows_[buffer % windows_.size()];
    if (window.buffer != buffer || !window.is_valid) [[unlikely]]
      move_to(window, buffer);
    const std::uintptr_t address = address_of(pointer), offset = address - window.begin;
    if (offset < window.bytes && window.bytes - offset >= bytes && (address & (alignment - 1)) == 0)
        [[likely]] {
      reached_ = window.range;
      return reinterpret_cast<std::byte *>(address);
    }
    return window.is_known ? nullptr : reach_unknown(window, address, bytes, alignment);
  }
  // The buffer of the last reach() that succeeded; null when bounds are not checked.
  const Range *reached() const { return reached_; }
  // The buffer in which a plain address lies, as a pointer says it.
  Pointer recognise(std::uint64_t address) const;

  // ---- of bytes in the buffer that was reached last. Memory of the caller, and of devices that do not track
  // it, counts as written.

  void mark_written(const void *at, std::size_t bytes) const {
    if (reached_ && reached_->written) [[unlikely]]
      Allocations::mark_written(*reached_, offset(at), bytes);
  }
  // How far from `at` the first is that nobody has written.
  std::optional<std::size_t> first_unwritten(const void *at, std::size_t bytes) const {
    if (!reached_ || !reached_->written) [[likely]]
      return std::nullopt;
    const auto found = Allocations::first_unwritten(*reached_, offset(at), bytes);
    return found ? std::optional(*found - offset(at)) : std::nullopt;
  }

 private:
  // A buffer that was used of late: accesses come in runs.
  struct Window {
    const Range *range = nullptr;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::uint16_t buffer = 0;
    bool is_valid = false;
    bool is_known = false;   // where its pointers lead: to this buffer, and to no other
  };
  void move_to(Window &window, std::uint16_t buffer) const;
  std::byte *reach_unknown(Window &window, std::uintptr_t address, std::size_t bytes, std::size_t alignment);
  std::size_t offset(const void *at) const { return reinterpret_cast<std::uintptr_t>(at) - reached_->begin; }

  const Allocations *allocations_ = nullptr;
  bool checks_bounds_ = true;
  std::array<Window, 16> windows_;
  const Range *reached_ = nullptr;
  std::uintptr_t own_ = 0;
  std::size_t own_bytes_ = 0;
};

}   // namespace tile::host
