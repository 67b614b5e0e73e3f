// SPDX-License-Identifier: MIT
// Which entry of the process's packs a launch takes, and why none fits.
#pragma once

#include "runtime/cuda/capability.h"
#include "runtime/pack/pack.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile::cuda {

struct FoundEntry {
  std::shared_ptr<const Pack> pack;
  const Pack::Entry *entry = nullptr;
};

// The code of a pack for exactly these classes of arguments and this target.
std::optional<FoundEntry> exact_entry(const PackedIdentity &wanted, const std::string &target);
// The best code that the GPU runs and that relies on nothing that is not so of these arguments: for the
// newest target, machine code before PTX, and the most specialised.
std::optional<FoundEntry> usable_entry(const PackedIdentity &wanted, Capability gpu);
// What the GPU runs of a kernel.
std::vector<PackedIdentity> packed_of(const std::string &kernel, Capability gpu);
// Of all entries with the same identity, those that the GPU runs best.
std::vector<FoundEntry> entries_for(Capability gpu);

// Why no entry serves the launch: the nearest entry, and in what it differs.
std::string why_not_packed(const PackedIdentity &wanted, Capability gpu);

}   // namespace tile::cuda
