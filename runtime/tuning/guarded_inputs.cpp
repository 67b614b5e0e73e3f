// SPDX-License-Identifier: MIT
#include "runtime/tuning/guarded_inputs.h"

namespace tile::tuning {
GuardedInputs::GuardedInputs(Snapshots &snapshots, std::span<const Argument> arguments,
                             std::span<const Access> access, std::span<const MemoryExtent> memory)
    : snapshots_(snapshots) {
  const auto is_read = [&](std::size_t i) {
    return access[i] == Access::reads && arguments[i].type.is_pointer() && memory[i].bytes > 0;
  };
  // What lies in memory that is written is copied for the candidates with it.
  const auto is_written = [&](const MemoryExtent &extent) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      if (access[i] == Access::writes && memory[i].overlaps(extent))
        return true;
    return false;
  };
  for (std::size_t i = 0; i < memory.size(); ++i)
    if (is_read(i) && !is_written(memory[i]))
      inputs_.push_back({i, memory[i], snapshots_.take(memory[i].begin, memory[i].bytes)});
}

std::string GuardedInputs::changed() {
  std::string what;
  for (const Input &input : inputs_) {
    const Snapshot now = snapshots_.of_constant(input.memory.begin, input.memory.bytes);
    if (snapshots_.difference(element_type<i8>, now, input.before, 0, input.memory.bytes).empty())
      continue;
    input.before.put_back(input.memory.begin);
    if (what.empty())
      what = "it changes argument " + std::to_string(input.argument) + ", which it may only read";
  }
  return what;
}

}   // namespace tile::tuning
