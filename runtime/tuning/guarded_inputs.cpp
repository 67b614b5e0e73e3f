// SPDX-License-Identifier: MIT
#include "runtime/tuning/guarded_inputs.h"

namespace tile::tuning {
namespace {

std::vector<std::byte> bytes_in(Device &device, const MemoryExtent &memory) {
  std::vector<std::byte> bytes(memory.bytes);
  device.copy_out(bytes.data(), memory.begin, memory.bytes);
  return bytes;
}

}   // namespace

GuardedInputs::GuardedInputs(Device &device, std::span<const Argument> arguments,
                             std::span<const Access> access, std::span<const MemoryExtent> memory)
    : device_(device) {
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
      inputs_.push_back({i, memory[i], bytes_in(device, memory[i])});
}

std::string GuardedInputs::changed() {
  std::string what;
  for (const Input &input : inputs_) {
    if (bytes_in(device_, input.memory) == input.bytes)
      continue;
    device_.copy_in(input.memory.begin, input.bytes.data(), input.bytes.size());
    if (what.empty())
      what = "it changes argument " + std::to_string(input.argument) + ", which it may only read";
  }
  return what;
}

}   // namespace tile::tuning
