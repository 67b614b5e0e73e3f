// SPDX-License-Identifier: MIT
// Stacks that take turns on one host thread: a CUDA thread of the simulator runs on each. A switch costs a
// few nanoseconds, because only the registers that calls preserve are kept.
#pragma once

#include <cstddef>
#include <memory>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace tile::simulator {

class Fiber {
 public:
  // What stands for the stack of whoever switches to the first fiber.
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  // From the beginning: the next switch here calls entry(argument), which never returns. What ran here
  // before is forgotten.
  void start(std::byte *stack, std::size_t bytes, void (*entry)(void *), void *argument);
  // Goes on where `to` stopped, until somebody switches back here. `forGood`: nobody will.
  void switchTo(Fiber &to, bool forGood = false);
  // The first thing that an entry does.
  static void arrived();

 private:
  std::byte *stack_ = nullptr;
  std::size_t bytes_ = 0;
  void *fakeStack_ = nullptr;   // the address sanitizer's
#if defined(__x86_64__)
  void *stackPointer_ = nullptr;
#else
  ucontext_t context_;
  void (*entry_)(void *) = nullptr;
  void *argument_ = nullptr;
  static void begin(unsigned high, unsigned low);
#endif
};

// Memory for the stacks of one program: pages come into being when they are touched, and pages that
// nobody may touch lie below each. A thread's registers live there: 64x256 of f32 on two warps are 1 KB for
// each value, and unoptimised code keeps several hundred values.
class Stacks {
 public:
  static constexpr std::size_t bytes = 1 << 20;
  explicit Stacks(std::size_t count);   // throws std::bad_alloc
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  std::byte *operator[](std::size_t i) const { return memory_ + i * (bytes + guard) + guard; }

 private:
  static constexpr std::size_t guard = 64 << 10;   // as much as a frame may skip
  std::byte *memory_;
  std::size_t size_;
};

}   // namespace tile::simulator
