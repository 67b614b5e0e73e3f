// SPDX-License-Identifier: MIT
// The arguments of a launch several times, each with memory of its own, more of it together than a cache
// holds: launches that go through them in turn find their inputs in memory, as those of a program do that
// works on something else between. `tile bench` measures in the same way.
#pragma once

#include "runtime/device.h"
#include "runtime/tuning/tuning.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tile::tuning {

class RotatingSets {
 public:
  // `arguments`: a launch that may be made, of which the first set is; `memory`: what is reached through
  // each. There is no other set where one is larger than all caches, where the device does not say how large
  // they are or has no memory, or where some argument's memory is not known.
  RotatingSets(Device &device, std::span<const Argument> arguments, std::span<const MemoryExtent> memory);
  ~RotatingSets();
  RotatingSets(const RotatingSets &) = delete;
  RotatingSets &operator=(const RotatingSets &) = delete;

  std::size_t count() const { return sets_.size(); }
  std::span<const Argument> arguments(std::size_t set) const { return sets_[set]; }

 private:
  struct Block {   // of memory, that arguments share
    MemoryExtent memory;
    std::size_t offset = 0;   // in what is allocated for a set
  };
  void add(Device &device, std::span<const Block> blocks, std::size_t bytes);

  Device &device_;
  std::vector<std::vector<Argument>> sets_;
  std::vector<void *> allocations_;
};

}   // namespace tile::tuning
