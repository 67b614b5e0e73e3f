// SPDX-License-Identifier: MIT
// What a launch may only read, as it was before candidates ran: they run on the caller's own inputs, and one
// that writes there spoils them for all others and for the caller.
#pragma once

#include "runtime/device.h"
#include "runtime/tuning/snapshot.h"
#include "runtime/tuning/tuning.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tile::tuning {

class GuardedInputs {
 public:
  // Of arguments whose memory is known, as PackedArgument has it; of others nobody knows what belongs to
  // them.
  GuardedInputs(Snapshots &snapshots, std::span<const Argument> arguments, std::span<const Access> access,
                std::span<const MemoryExtent> memory);
  // "it changes argument 0, which it may only read", and the memory is again as it was; or empty.
  std::string changed();

 private:
  struct Input {
    std::size_t argument;
    MemoryExtent memory;
    Snapshot before;
  };
  Snapshots &snapshots_;
  std::vector<Input> inputs_;
};

}   // namespace tile::tuning
