// SPDX-License-Identifier: MIT
#include "runtime/launch/packed_configs.h"

#include "runtime/launch/launch_steps.h"
#include "runtime/pack/loaded_packs.h"
#include "runtime/pack/packed_identity.h"

#include <map>

namespace tile::launching {

static WordKey values_of(const ConfigSpace &space, std::size_t config) {
  WordKey values;
  space.push_values(config, values);
  return values;
}

// A list that was replaced by another at the same address is another one.
static bool are_of(const PackedPlaces &places, const ConfigSpace &space) {
  return !space.follows_from_arguments() && std::ranges::all_of(places, [&](const PackedPlace &packed) {
    return values_of(space, packed.place) == packed.fields;
  });
}

std::shared_ptr<const PackedPlaces> packed_places(LaunchCache &cache, const Device &device,
                                                  const char *kernel, const ConfigSpace &space) {
  WordKey key;
  key.push(device.id());
  key.push(reinterpret_cast<std::uintptr_t>(kernel));
  key.push(reinterpret_cast<std::uintptr_t>(space.list()));
  key.push(space.size());
  key.push(loaded_packs().size());
  if (std::shared_ptr<const PackedPlaces> known = cache.packed_places(key); known && are_of(*known, space))
    return known;
  std::map<std::string, std::vector<std::vector<ArgClass>>> packed;
  for (PackedIdentity &entry : device.packed(kernel))
    packed[std::move(entry.config)].push_back(std::move(entry.classes));
  PackedPlaces places;
  for (std::size_t i = 0; i < space.size() && !packed.empty(); ++i)
    if (const auto found = packed.find(space.text(i)); found != packed.end())
      places.push_back({i, values_of(space, i), found->second});
  return cache.keep_packed_places(key, std::move(places));
}

std::vector<std::size_t> packed_for(const LaunchRequest &r, const ConfigSpace &space) {
  const std::vector<ArgClass> given = classes_of(r);
  std::vector<std::size_t> served;
  for (const PackedPlace &packed : *packed_places(r.cache, r.where.device, r.name, space))
    if (std::ranges::any_of(packed.classes, [&](const auto &code) { return serves(code, given); }))
      served.push_back(packed.place);
  return served;
}

}   // namespace tile::launching
