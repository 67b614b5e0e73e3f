// SPDX-License-Identifier: MIT
#include "runtime/cuda/pack_search.h"

#include "runtime/pack/loaded_packs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tile::cuda {
namespace {

// More is better: the newer target, code for exactly one GPU, machine code, more specialised code.
auto rank(const Pack::Entry &entry) {
  const bool is_specific = entry.target.ends_with('a');
  const std::string number = entry.target.substr(0, entry.target.size() - is_specific);
  return std::tuple(
      number.size(), number, is_specific, entry.kind == LoweredKernel::Code::cubin,
      std::ranges::count_if(entry.identity.classes, [](ArgClass c) { return c != ArgClass::generic; }));
}

template <class Matches> std::optional<FoundEntry> best_entry(const Matches &matches) {
  std::optional<FoundEntry> best;
  for (const std::shared_ptr<const Pack> &pack : loaded_packs())
    for (const Pack::Entry &entry : pack->entries())
      if (matches(entry) && (!best || rank(entry) > rank(*best->entry)))
        best = {pack, &entry};
  return best;
}

}   // namespace

std::optional<FoundEntry> exact_entry(const PackedIdentity &wanted, const std::string &target) {
  return best_entry([&](const Pack::Entry &entry) {
    return entry.target == target && entry.identity.computation == wanted.computation &&
           entry.identity.kernel == wanted.kernel && entry.identity.classes == wanted.classes;
  });
}

std::optional<FoundEntry> usable_entry(const PackedIdentity &wanted, Capability gpu) {
  return best_entry([&](const Pack::Entry &entry) {
    return entry.identity.computation == wanted.computation && entry.identity.kernel == wanted.kernel &&
           serves(entry.identity.classes, wanted.classes) && runs(gpu, entry.target, entry.kind);
  });
}

std::vector<PackedIdentity> packed_of(const std::string &kernel, Capability gpu) {
  std::vector<PackedIdentity> all;
  for (const std::shared_ptr<const Pack> &pack : loaded_packs())
    for (const Pack::Entry &entry : pack->entries())
      if (entry.identity.kernel == kernel && runs(gpu, entry.target, entry.kind))
        all.push_back(entry.identity);
  return all;
}

std::vector<FoundEntry> entries_for(Capability gpu) {
  std::vector<FoundEntry> best;
  for (const std::shared_ptr<const Pack> &pack : loaded_packs())
    for (const Pack::Entry &entry : pack->entries()) {
      if (!runs(gpu, entry.target, entry.kind))
        continue;
      const auto same = std::ranges::find_if(
          best, [&](const FoundEntry &found) { return found.entry->identity == entry.identity; });
      if (same == best.end())
        best.push_back({pack, &entry});
      else if (rank(entry) > rank(*same->entry))
        *same = {pack, &entry};
    }
  return best;
}

std::string why_not_packed(const PackedIdentity &wanted, Capability gpu) {
  if (loaded_packs().empty())
    return "no pack is loaded";
  std::set<std::string> kernels, configs, targets;
  std::optional<FoundEntry> other_classes, other_computation;
  for (const std::shared_ptr<const Pack> &pack : loaded_packs())
    for (const Pack::Entry &entry : pack->entries()) {
      kernels.insert(entry.identity.kernel);
      if (entry.identity.kernel != wanted.kernel)
        continue;
      configs.insert(entry.identity.config);
      if (entry.identity.config != wanted.config)
        continue;
      if (entry.identity.computation != wanted.computation)
        other_computation = {pack, &entry};
      else if (serves(entry.identity.classes, wanted.classes))
        targets.insert(entry.target + (entry.kind == LoweredKernel::Code::ptx ? " (PTX)" : ""));
      else if (runs(gpu, entry.target, entry.kind))
        other_classes = {pack, &entry};
    }
  const auto joined = [](const std::set<std::string> &names) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t count = 0;
    for (const std::string &name : names)
      if (++count <= most)
        text += (text.empty() ? "" : ", ") + name;
    return text + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
  };
  if (other_classes)
    return "the nearest entry, of " + other_classes->pack->name() + ", is for launches in which " +
           text_of(other_classes->entry->identity.classes);
  if (!targets.empty())
    return "the packs have it for " + joined(targets) + ", which this GPU, sm_" +
           std::to_string(gpu.major * 10 + gpu.minor) + ", does not run";
  if (other_computation)
    return other_computation->pack->name() +
           " has a kernel of this name that computes something else: it was edited since, or has other types";
  if (!configs.empty())
    return "the packs have this kernel with other configs: " + joined(configs);
  return "the packs have other kernels: " + joined(kernels);
}

}   // namespace tile::cuda
