// SPDX-License-Identifier: MIT
#include "runtime/simulator/device_maps.h"

#include <algorithm>

namespace tile::simulator {

DeviceMaps::Change &DeviceMaps::changeOf(std::uintptr_t place, Actor actor) {
  std::vector<Change> &changes = places_[place];
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const Change &change) { return change.written.actor == actor; });
  return found != changes.end() ? *found : changes.emplace_back();
}

void DeviceMaps::changed(Actor actor, Clock clock, unsigned site, std::uintptr_t address, std::size_t bytes) {
  for (std::uintptr_t place = address / placeBytes; place <= (address + bytes - 1) / placeBytes; ++place)
    changeOf(place, actor) = {.written = {actor, clock}, .site = site};
}

// Nothing is left of what others had written.
void DeviceMaps::published(Actor actor, Clock clock, unsigned site, std::uintptr_t address) {
  for (std::size_t done = 0; done < sizeof(TensorMap); done += placeBytes)
    places_[(address + done) / placeBytes] = {
        {.written = {actor, clock}, .site = site, .released = {actor, clock}}};
}

void DeviceMaps::release(unsigned thread) {
  for (auto &[place, changes] : places_)
    for (Change &change : changes)
      if (!change.released.clock && knows(thread, change.written))
        change.released = {static_cast<Actor>(thread), order_.now(thread)};
}

void DeviceMaps::acquire(unsigned thread, std::uintptr_t address) {
  for (std::size_t done = 0; done < sizeof(TensorMap); done += placeBytes)
    if (const auto found = places_.find((address + done) / placeBytes); found != places_.end())
      for (Change &change : found->second)
        if (knows(thread, change.released))
          change.acquired.push_back({static_cast<Actor>(thread), order_.now(thread)});
}

DeviceMaps::Trouble DeviceMaps::check(unsigned thread, std::uintptr_t address) const {
  for (std::size_t done = 0; done < sizeof(TensorMap); done += placeBytes) {
    const auto found = places_.find((address + done) / placeBytes);
    if (found == places_.end())
      continue;
    for (const Change &change : found->second) {
      const auto isKnown = [&](const Event &event) { return knows(thread, event); };
      const Missing missing = !isKnown(change.written) ? Missing::order
                              : !change.released.clock ? Missing::release
                              : std::none_of(change.acquired.begin(), change.acquired.end(), isKnown)
                                  ? Missing::acquire
                                  : Missing::nothing;
      if (missing != Missing::nothing)
        return {missing, change.written.actor, change.site};
    }
  }
  return {};
}

void DeviceMaps::used(std::uintptr_t address, Actor barrier, Clock clock, unsigned site) {
  std::vector<Use> &uses = uses_[address];
  const auto found =
      std::find_if(uses.begin(), uses.end(), [&](const Use &use) { return use.over.actor == barrier; });
  (found != uses.end() ? *found : uses.emplace_back()) = {{barrier, clock}, site};
}

std::optional<unsigned> DeviceMaps::underWay(unsigned thread, std::uintptr_t address) const {
  if (const auto found = uses_.find(address); found != uses_.end())
    for (const Use &use : found->second)
      if (!knows(thread, use.over))
        return use.site;
  return std::nullopt;
}

}   // namespace tile::simulator
