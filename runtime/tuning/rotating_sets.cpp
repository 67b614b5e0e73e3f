// SPDX-License-Identifier: MIT
#include "runtime/tuning/rotating_sets.h"

#include "runtime/bench/stopwatch.h"
#include "runtime/error.h"

#include <algorithm>

namespace tile::tuning {
namespace {

constexpr std::size_t most_sets = 4096;
constexpr std::size_t lattice = 256;   // what is known of an address's alignment holds for the copies

}   // namespace

RotatingSets::RotatingSets(Device &device, std::span<const Argument> arguments,
                           std::span<const MemoryExtent> memory)
    : device_(device), sets_{{arguments.begin(), arguments.end()}} {
  const double wanted = times_cache * static_cast<double>(device.machine().cache_bytes);
  std::vector<Block> blocks;
  std::size_t bytes = 0;
  double used = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].type.is_pointer() || !arguments[i].bits)
      continue;
    if (!memory[i].begin || arguments[i].type.pointers > 1 || arguments[i].is_host)
      return;
    const auto is_it = [&](const Block &block) {
      return block.memory.begin == memory[i].begin && block.memory.bytes == memory[i].bytes;
    };
    if (std::ranges::any_of(blocks, is_it))
      continue;
    if (std::ranges::any_of(blocks, [&](const Block &block) { return block.memory.overlaps(memory[i]); }))
      return;
    blocks.push_back({memory[i], bytes + memory[i].first() % lattice});
    bytes = (blocks.back().offset + memory[i].bytes + lattice - 1) / lattice * lattice;
    used += static_cast<double>(memory[i].bytes);
  }
  if (used <= 0)
    return;
  const auto count = static_cast<std::size_t>(std::min(wanted / used + 1, static_cast<double>(most_sets)));
  try {
    while (sets_.size() < count)
      add(device, blocks, bytes);
  } catch (const Error &) {   // so many fit
  }
}

RotatingSets::~RotatingSets() {
  for (void *allocation : allocations_)
    device_.release(allocation);
}

void RotatingSets::add(Device &device, std::span<const Block> blocks, std::size_t bytes) {
  allocations_.reserve(allocations_.size() + 1);
  void *const allocation = device.allocate(bytes + lattice, "inputs that a tuner rotates");
  allocations_.push_back(allocation);
  const std::uint64_t from = (reinterpret_cast<std::uintptr_t>(allocation) + lattice - 1) / lattice * lattice;
  std::vector<Argument> set = sets_.front();
  for (const Block &block : blocks) {
    const std::uint64_t to = from + block.offset;
    if (block.memory.bytes)
      device.copy(reinterpret_cast<void *>(static_cast<std::uintptr_t>(to)), block.memory.begin,
                  block.memory.bytes);
    for (Argument &argument : set)
      if (argument.type.is_pointer() && argument.bits >= block.memory.first() &&
          argument.bits < std::max(block.memory.end(), block.memory.first() + 1))
        argument.bits = to + (argument.bits - block.memory.first());
  }
  sets_.push_back(std::move(set));
}

}   // namespace tile::tuning
