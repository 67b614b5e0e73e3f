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
// nobody may touch lie below each.
class Stacks {
 public:
  Stacks(std::size_t count, std::size_t bytes);   // throws tile::Error
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  std::byte *operator[](std::size_t i) const { return memory_ + i * (bytes_ + guard) + guard; }
  std::size_t bytes() const { return bytes_; }   // of each

 private:
  static constexpr std::size_t guard = 64 << 10;
  std::size_t bytes_, size_;
  std::byte *memory_;
};

}   // namespace tile::simulator
