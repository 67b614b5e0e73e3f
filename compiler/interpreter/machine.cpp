// SPDX-License-Identifier: MIT
#include "compiler/interpreter/machine.h"

#include <cstring>

namespace tile::interpreter {

const char *nameOf(Lane lane) {
  constexpr const char *names[] = {"i1",  "i8",  "i16",  "i32",  "i64",     "f16",       "bf16",
                                   "f32", "f64", "e4m3", "e5m2", "pointer", "descriptor"};
  return names[static_cast<int>(lane)];
}

Machine::Machine(const Program &program)
    : wrappedOperands(program.wrappers.size() + 1), program_(program),
      // Not cleared: pages of values that never come to be, such as those of wrapped lanes, cost nothing.
      frame_(static_cast<std::byte *>(
          ::operator new[](std::max<std::size_t>(program.frameBytes, 64), std::align_val_t(64)))),
      wrapped_(program.wrappedFlags, 0) {
  for (const FrameConstant &constant : program.constants) {
    std::byte *to = frame_.get() + constant.place;
    for (std::size_t copy = 0; copy < constant.copies; ++copy, to += constant.bytes.size())
      std::memcpy(to, constant.bytes.data(), constant.bytes.size());
  }
}

void Machine::runProgram(Launched &launch, std::int64_t index) {
  launch_ = &launch;
  window_ = {};
  index_ = index;
  const Grid &grid = launch.grid;
  programs_ = {static_cast<std::int32_t>(grid.x), static_cast<std::int32_t>(grid.y),
               static_cast<std::int32_t>(grid.z)};
  id_ = {static_cast<std::int32_t>(index % grid.x), static_cast<std::int32_t>(index / grid.x % grid.y),
         static_cast<std::int32_t>(index / grid.x / grid.y)};
  // Every program finds its arguments fresh: their places serve other values once they are dead.
  for (std::size_t p = 0; p < program_.parameters.size(); ++p)
    std::memcpy(frame_.get() + program_.parameters[p].place, &launch.arguments[p],
                bytesOf(program_.parameters[p].lane));
  std::fill(wrapped_.begin(), wrapped_.end(), 0);
  unfenced.clear();
  run(0);
}

// An earlier program failed: this one is not needed. A later one did: this one may be the true
// first and goes on, but not for ever; it might spin on a lock that the failed program holds.
void Machine::leaveIfFailed() {
  if (launch_->failed.load(std::memory_order_relaxed) < index_)
    throw Abandoned{};
  const std::chrono::steady_clock::duration since{
      std::chrono::steady_clock::now().time_since_epoch().count() -
      launch_->failedAt.load(std::memory_order_relaxed)};
  if (since > std::chrono::seconds(2))
    throw Abandoned{};
}

void Machine::turnTo(Pointer pointer) {
  window_.buffer = host::buffer_of(pointer);
  window_.range = nullptr;
  window_.begin = 0;
  window_.bytes = 0;
  window_.valid = true;
  if (!launch_->checks.bounds) {
    window_.bytes = host::address_mask;
  } else if (window_.buffer != 0 && window_.buffer != host::nowhere) {
    if (const host::Range *range = launch_->allocations.by_tag(window_.buffer)) {
      window_.range = range;
      window_.begin = range->begin;
      window_.bytes = range->bytes;
    }
  }
}

// A pointer that came from nowhere in particular may be used wherever its address is good.
std::byte *Machine::reachUnknown(Pointer pointer, std::size_t bytes, std::size_t alignment) {
  const std::uintptr_t address = host::address_of(pointer);
  const host::Range *range = launch_->checks.bounds ? launch_->allocations.find(address) : nullptr;
  if (!range || !range->contains(address, bytes) || (address & (alignment - 1)) != 0)
    return nullptr;
  window_.range = range;
  window_.begin = range->begin;
  window_.bytes = range->bytes;
  return reinterpret_cast<std::byte *>(address);
}

Pointer Machine::recognise(std::uint64_t address) {
  if (!launch_->checks.bounds || address >> host::address_bits)
    return host::untagged(address);
  if (window_.range && window_.buffer != 0 && window_.range->contains(address))
    return host::pointer_to(address, window_.buffer);
  const host::Range *range = launch_->allocations.owner(address);
  return host::pointer_to(address, range ? range->tag : 0);
}

}   // namespace tile::interpreter
