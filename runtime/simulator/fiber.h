// SPDX-License-Identifier: MIT
// Stacks that take turns on one host thread: a CUDA thread of the simulator runs on each. A switch costs a
// few nanoseconds, because only the registers that calls preserve are kept.
#pragma once

#include <cstddef>

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

// Memory for the stacks of the fibers of one worker, whatever program they run: pages come into being when
// they are touched, and below each stack lie pages that nobody may touch. A process may have some 65,000
// mappings, and a protected range is one of its own, so that there are no more than a number of those; a
// stack without one has a word below it instead, which overran() looks at.
class Stacks {
 public:
  Stacks() = default;
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  // From here on there are so many, each with so many bytes or more. What was on them is lost.
  void fit(std::size_t count, std::size_t bytes);   // throws tile::Error
  std::byte *operator[](std::size_t i) const { return memory_ + i * (bytes_ + guard) + guard; }
  std::size_t bytes() const { return bytes_; }   // of each
  // Whether more was kept on this one than there is, as far as is known; asked once.
  bool overran(std::size_t i);

 private:
  static constexpr std::size_t guard = 64 << 10;
  void release();
  void protect();

  std::size_t count_ = 0, bytes_ = 0, size_ = 0;
  std::size_t mappings_ = 0;   // of the process, that protect pages here
  std::size_t guarded_ = 0;    // this many have protected pages, the first ones
  std::byte *memory_ = nullptr;
};

}   // namespace tile::simulator
