// SPDX-License-Identifier: MIT
#include "compiler/interpreter/unfenced.h"

#include <algorithm>

namespace tile::interpreter {
namespace {

// A long loop without a barrier that scatters its stores: older ones are let go.
constexpr std::size_t MostRuns = std::size_t{1} << 20;

}   // namespace

void Unfenced::clear() {
  stores_.clear();
  runs_ = 0;
}

void Unfenced::begin(const Instruction &store, std::size_t lanes, std::size_t bytes) {
  if (runs_ > MostRuns)
    clear();
  stores_.push_back({&store, lanes, bytes});
}

void Unfenced::add(std::uintptr_t address, std::size_t lane, std::size_t count) {
  Store &store = stores_.back();
  store.sorted &= store.runs.empty() || store.runs.back().address <= address;
  store.runs.push_back({address, lane, count});
  store.low = std::min(store.low, address);
  store.high = std::max(store.high, address + count * store.bytes);
  store.longest = std::max(store.longest, count * store.bytes);
  ++runs_;
}

std::optional<Unfenced::Conflict> Unfenced::find(std::uintptr_t address, std::size_t lane, std::size_t count,
                                                 std::size_t lanes, std::size_t bytes) {
  const std::uintptr_t end = address + count * bytes;
  const auto before = [](const Run &a, const Run &b) { return a.address < b.address; };
  for (Store &store : stores_) {
    if (store.low >= end || store.high <= address)
      continue;
    if (!store.sorted) {
      std::sort(store.runs.begin(), store.runs.end(), before);
      store.sorted = true;
    }
    const std::uintptr_t first = address > store.longest ? address - store.longest : 0;
    for (auto run = std::lower_bound(store.runs.begin(), store.runs.end(), Run{first, 0, 0}, before);
         run != store.runs.end() && run->address < end; ++run) {
      if (run->address + run->count * store.bytes <= address)
        continue;
      const std::uintptr_t common = std::max(run->address, address);
      const std::size_t loading = lane + (common - address) / bytes;
      const std::size_t storing = run->lane + (common - run->address) / store.bytes;
      if (lanes != store.lanes || bytes != store.bytes || loading != storing)
        return Conflict{store.instruction, loading};
    }
  }
  return std::nullopt;
}

}   // namespace tile::interpreter
