// SPDX-License-Identifier: MIT
// One thread's means of running programs: a frame with the values of the program it is at, and
// the way to the launch that all threads share.
#pragma once

#include "compiler/interpreter/program.h"
#include "compiler/interpreter/unfenced.h"
#include "runtime/host/allocations.h"
#include "runtime/host/pointers.h"
#include "tile/device.h"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

namespace tile::interpreter {

using host::Pointer;

struct Checks {
  bool bounds = true, overflow = true, asserts = true;
};

// What the threads of one launch share.
struct Launched {
  Grid grid;
  std::span<const std::uint64_t> arguments;   // one per ParameterSlot, pointers with their buffers
  host::Allocations &allocations;
  Checks checks;
  const std::function<void(std::string_view)> &print;
  std::mutex &printing;

  // The first program that failed, so far. Programs before it still run to their end, so that
  // the report does not depend on which thread was faster; later ones stop.
  std::atomic<std::int64_t> failed{INT64_MAX};
  std::atomic<std::int64_t> failedAt{0};   // when, in ticks of steady_clock
};

// Thrown to leave a program that need not be finished, because an earlier one failed.
struct Abandoned {};

class Machine {
 public:
  explicit Machine(const Program &program);

  // Runs the program with this linear index to its end; throws tile::Error, or Abandoned.
  void runProgram(Launched &launch, std::int64_t index);

  void run(BlockId block) {
    for (const Instruction &instruction : program_.blocks[block])
      instruction.run(instruction, *this);
  }
  // Called on every way back of a loop.
  void checkpoint() {
    if (launch_->failed.load(std::memory_order_relaxed) != INT64_MAX)
      leaveIfFailed();
  }

  template <class T> T *at(Place place) const { return reinterpret_cast<T *>(frame_.get() + place); }
  template <class T> const T &scalar(Place place) const { return *at<T>(place); }

  const Program &program() const { return program_; }
  Launched &launch() const { return *launch_; }
  const std::array<std::int32_t, 3> &id() const { return id_; }
  const std::array<std::int32_t, 3> &programs() const { return programs_; }

  // Which lanes of a value stem from arithmetic that wrapped (wrapped.h).
  bool hasWrapped(const Wrapped &w) const { return wrapped_[w.flag] != 0; }
  void setWrapped(const Wrapped &w, bool any) { wrapped_[w.flag] = any; }
  // Operands of a lane that wrapped, the last time the operation did it.
  struct WrappedOperands {
    std::int64_t a, b;
  };
  std::vector<WrappedOperands> wrappedOperands;   // by number of the operation

  Unfenced unfenced;   // kept only when the program may load what it has stored

  // The place of `bytes` bytes at a pointer, or null where they are not all inside its buffer or
  // not aligned to `alignment`.
  std::byte *reach(Pointer pointer, std::size_t bytes, std::size_t alignment) {
    if (host::buffer_of(pointer) != window_.buffer || !window_.valid) [[unlikely]]
      turnTo(pointer);
    const std::uintptr_t address = host::address_of(pointer), offset = address - window_.begin;
    if (offset < window_.bytes && window_.bytes - offset >= bytes && (address & (alignment - 1)) == 0)
        [[likely]]
      return reinterpret_cast<std::byte *>(address);
    return window_.buffer == 0 ? reachUnknown(pointer, bytes, alignment) : nullptr;
  }
  // The buffer of the last reach() that succeeded; null when bounds are not checked.
  const host::Range *reached() const { return window_.range; }

  // The buffer a plain address lies in, as a pointer says it.
  Pointer recognise(std::uint64_t address);

 private:
  void leaveIfFailed();
  void turnTo(Pointer pointer);
  std::byte *reachUnknown(Pointer pointer, std::size_t bytes, std::size_t alignment);

  struct Release {
    void operator()(std::byte *memory) const { ::operator delete[](memory, std::align_val_t(64)); }
  };

  const Program &program_;
  Launched *launch_ = nullptr;
  std::unique_ptr<std::byte[], Release> frame_;
  std::vector<std::uint8_t> wrapped_;
  std::array<std::int32_t, 3> id_{}, programs_{};
  std::int64_t index_ = 0;
  // The buffer that was used last: accesses come in runs.
  struct {
    const host::Range *range = nullptr;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::uint16_t buffer = 0;
    bool valid = false;
  } window_;
};

}   // namespace tile::interpreter
