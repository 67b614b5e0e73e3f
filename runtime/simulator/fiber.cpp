// SPDX-License-Identifier: MIT
#include "runtime/simulator/fiber.h"

#include "runtime/error.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
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

// Linux 6.13's MADV_GUARD_INSTALL: pages that nobody may touch, within a mapping.
constexpr int guardInstall = 102;
// Where there is no such thing: of the 65,530 mappings that a process may have by default.
constexpr std::size_t mostGuardMappings = 16384;
std::atomic<std::size_t> guardMappings{0};
constexpr std::uint64_t sentinel = 0x5374'6163'6B45'6E64;

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

Stacks::~Stacks() { release(); }

void Stacks::fit(std::size_t count, std::size_t bytes) {
  bytes = (bytes + guard - 1) / guard * guard;
  // What one kernel with large frames has left is not kept for those with small ones.
  constexpr std::size_t muchTooLarge = 8;
  if (count <= count_ && bytes <= bytes_ && bytes_ / bytes < muchTooLarge)
    return;
  if (bytes_ / bytes < muchTooLarge)
    bytes = std::max(bytes, bytes_);
  count = std::max(count, count_);
  release();
  const std::size_t size = count * (bytes + guard);
  void *memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(fmt::format("no memory for the stacks of {} threads of {} KiB each", count, bytes >> 10), {});
  memory_ = static_cast<std::byte *>(memory);
  count_ = count;
  bytes_ = bytes;
  size_ = size;
  protect();
}

void Stacks::protect() {
  for (guarded_ = 0; guarded_ < count_; ++guarded_) {
    std::byte *pages = (*this)[guarded_] - guard;
    if (madvise(pages, guard, guardInstall) == 0)   // costs no mapping
      continue;
    // Another mapping for these pages, and one for the stack behind them.
    if (guardMappings.fetch_add(2) >= mostGuardMappings) {
      guardMappings.fetch_sub(2);
      break;
    }
    mappings_ += 2;
    if (mprotect(pages, guard, PROT_NONE) != 0)
      break;
  }
  for (std::size_t i = guarded_; i < count_; ++i)
    overran(i);
}

bool Stacks::overran(std::size_t i) {
  std::byte *word = (*this)[i] - sizeof sentinel;
  if (i < guarded_ || std::memcmp(word, &sentinel, sizeof sentinel) == 0)
    return false;
  std::memcpy(word, &sentinel, sizeof sentinel);
  return true;
}

void Stacks::release() {
  if (!memory_)
    return;
#if defined(TILE_SANITIZED_FIBERS)
  // Fibers that are given up leave their frames there; the next owner of the addresses knows nothing of them.
  for (std::size_t i = 0; i < count_; ++i)
    __asan_unpoison_memory_region((*this)[i], bytes_);
#endif
  munmap(memory_, size_);
  guardMappings.fetch_sub(mappings_);
  memory_ = nullptr;
  count_ = bytes_ = size_ = mappings_ = guarded_ = 0;
}

}   // namespace tile::simulator
