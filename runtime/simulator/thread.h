// SPDX-License-Identifier: MIT
// One thread of a program, and what may keep it waiting.
#pragma once

#include "runtime/simulator/fiber.h"

#include <cstdint>
#include <vector>

namespace tile::simulator {

class Cta;

enum class Wait : std::uint8_t { nothing, barrier, warp };

// An asynchronous copy that a thread has begun.
struct Copy {
  std::byte *to;
  const std::byte *from;
  std::uint32_t bytes, copied;   // the rest are zeros
  std::uint32_t offset;          // of `to` in shared memory
  std::uint32_t group;           // of the thread: how many were committed before
  bool landed;                   // the bytes are there already, though nobody may know
};

struct Thread {
  Cta *cta = nullptr;
  unsigned number = 0;
  Fiber fiber;
  bool ended = false;
  Wait wait = Wait::nothing;
  unsigned site = 0;           // where it waits
  std::vector<Copy> copies;    // on their way, in the order they were begun
  std::uint32_t commits = 0;   // groups of copies that are closed

  unsigned lane() const { return number % 32; }
  unsigned warp() const { return number / 32; }
};

}   // namespace tile::simulator
