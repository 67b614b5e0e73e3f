// SPDX-License-Identifier: MIT
#include "runtime/simulator/fiber.h"

#include "runtime/error.h"

#include <cstdint>
#include <fmt/format.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define TILE_SANITIZED_FIBERS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILE_SANITIZED_FIBERS
#endif
#endif
#if defined(TILE_SANITIZED_FIBERS)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
// tile_fiber_switch(save, to): keeps what the System V ABI says a call preserves, and goes on at `to`.
// tile_fiber_begin: the first "return address" of a fiber, with entry and argument in preserved registers.
extern "C" void tile_fiber_switch(void **save, void *to);
extern "C" void tile_fiber_begin();
asm(R"(
  .text
  .globl tile_fiber_switch
  .hidden tile_fiber_switch
  .type tile_fiber_switch, @function
tile_fiber_switch:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .size tile_fiber_switch, .-tile_fiber_switch
  .globl tile_fiber_begin
  .hidden tile_fiber_begin
  .type tile_fiber_begin, @function
tile_fiber_begin:
  movq %r12, %rdi
  callq *%r13
  ud2
  .size tile_fiber_begin, .-tile_fiber_begin
)");
#endif

namespace tile::simulator {
namespace {

#if defined(TILE_SANITIZED_FIBERS)
// The sanitizer tells where it came from once the new stack runs.
thread_local Fiber *leaving = nullptr;
#endif

}   // namespace

#if defined(__x86_64__)
void Fiber::start(std::byte *stack, std::size_t bytes, void (*entry)(void *), void *argument) {
  stack_ = stack;
  bytes_ = bytes;
  fakeStack_ = nullptr;
#if defined(TILE_SANITIZED_FIBERS)
  __asan_unpoison_memory_region(stack, bytes);
#endif
  // As tile_fiber_switch would have left them: r15, r14, r13, r12, rbp, rbx, return address.
  auto *top = reinterpret_cast<std::uintptr_t *>(stack + bytes);
  *--top = reinterpret_cast<std::uintptr_t>(&tile_fiber_begin);
  *--top = 0;
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(argument);
  *--top = reinterpret_cast<std::uintptr_t>(entry);
  *--top = 0;
  *--top = 0;
  stackPointer_ = top;
}
#else
void Fiber::begin(unsigned high, unsigned low) {
  auto *fiber = reinterpret_cast<Fiber *>(static_cast<std::uintptr_t>(high) << 32 | low);
  fiber->entry_(fiber->argument_);
}
void Fiber::start(std::byte *stack, std::size_t bytes, void (*entry)(void *), void *argument) {
  stack_ = stack;
  bytes_ = bytes;
  fakeStack_ = nullptr;
  entry_ = entry;
  argument_ = argument;
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
}
#endif

void Fiber::switchTo(Fiber &to, [[maybe_unused]] bool forGood) {
#if defined(TILE_SANITIZED_FIBERS)
  leaving = this;
  __sanitizer_start_switch_fiber(forGood ? nullptr : &fakeStack_, to.stack_, to.bytes_);
#endif
#if defined(__x86_64__)
  tile_fiber_switch(&stackPointer_, to.stackPointer_);
#else
  swapcontext(&context_, &to.context_);
#endif
#if defined(TILE_SANITIZED_FIBERS)
  const void *bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(fakeStack_, &bottom, &size);
  if (!leaving->stack_) {
    leaving->stack_ = static_cast<std::byte *>(const_cast<void *>(bottom));
    leaving->bytes_ = size;
  }
#endif
}

void Fiber::arrived() {
#if defined(TILE_SANITIZED_FIBERS)
  const void *bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (!leaving->stack_) {   // the host thread's own
    leaving->stack_ = static_cast<std::byte *>(const_cast<void *>(bottom));
    leaving->bytes_ = size;
  }
#endif
}

Stacks::Stacks(std::size_t count, std::size_t bytes)
    : bytes_((bytes + guard - 1) / guard * guard), size_(count * (bytes_ + guard)) {
  const auto refuse = [&] {
    throw Error(fmt::format("no memory for the stacks of {} threads of {} KiB each", count, bytes_ >> 10),
                {});
  };
  void *memory = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    refuse();
  memory_ = static_cast<std::byte *>(memory);
  for (std::size_t i = 0; i < count; ++i)
    if (mprotect((*this)[i], bytes_, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory_, size_);
      refuse();
    }
}

Stacks::~Stacks() {
#if defined(TILE_SANITIZED_FIBERS)
  // Fibers that are given up leave their frames there; the next owner of the addresses knows nothing of them.
  for (std::byte *at = memory_; at != memory_ + size_; at += bytes_ + guard)
    __asan_unpoison_memory_region(at + guard, bytes_);
#endif
  munmap(memory_, size_);
}

}   // namespace tile::simulator
