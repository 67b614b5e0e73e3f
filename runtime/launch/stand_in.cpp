// SPDX-License-Identifier: MIT
#include "runtime/launch/stand_in.h"

#include "runtime/background.h"
#include "runtime/launch/launch_steps.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace tile::launching {

std::shared_ptr<Making> making_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  return r.cache.making(keys_of_executable(r, space, config).own);
}

bool is_loaded(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  return r.cache.has(keys_of_executable(r, space, config).own);
}

std::optional<Choice> first_loaded(const LaunchRequest &r, const ConfigSpace &space,
                                   std::span<const std::size_t> configs) {
  const std::vector<LaunchCache::Usable> usable = r.cache.usable(r.where.device.id(), r.name, classes_of(r));
  for (const std::size_t config : configs) {
    WordKey fields;
    space.push_values(config, fields);
    const LaunchCache::Usable *best = nullptr;
    for (const LaunchCache::Usable &other : usable)
      if (other.fields == fields && (!best || other.specialised > best->specialised))
        best = &other;
    if (best)
      return Choice{config, best->executable, fields, nullptr};
  }
  return std::nullopt;
}

// Null where nothing can.
static std::shared_ptr<Making> make_in_background(const LaunchRequest &r, const ConfigSpace &space,
                                                  std::size_t config) {
  const ExecutableKeys keys = keys_of_executable(r, space, config);
  if (std::shared_ptr<Making> known = r.cache.making(keys.own);
      known && known->state != Making::State::dropped)
    return known;
  std::shared_ptr<const Recipe> recipe;
  std::exception_ptr refusal;
  try {
    recipe = space.recipe(config, keys.origin.classes);
    if (!recipe)
      return nullptr;
  } catch (...) {   // a kernel function's own: as when the compiler refuses it
    refusal = std::current_exception();
  }
  const auto [making, is_new] = r.cache.begin_making(keys.own);
  if (!is_new)
    return making;
  if (refusal) {
    making->fail(refusal);
    return making;
  }
  const bool is_given =
      background::add({.device = r.where.device.id(),
                       .run =
                           [&device = r.where.device, &cache = r.cache, keys, making, recipe] {
                             try {
                               loaded_once(
                                   cache, device, keys, [&] { return recipe->load(device); },
                                   [&](std::unique_ptr<Executable> plain) {
                                     return recipe->as_launched(device, std::move(plain));
                                   },
                                   Use::launch);
                               making->state = Making::State::ready;
                             } catch (...) {
                               making->fail(std::current_exception());
                             }
                           },
                       .dropped = [making] { making->state = Making::State::dropped; }});
  if (is_given)
    return making;
  making->state = Making::State::dropped;
  return nullptr;
}

std::optional<Choice> stand_in(const LaunchRequest &r, const ConfigSpace &space, std::size_t wanted,
                               std::span<const std::size_t> configs) {
  // Of the same config, code for arguments of which less is known is the nearest.
  std::vector<std::size_t> order{wanted};
  std::ranges::copy(configs, std::back_inserter(order));
  std::optional<Choice> choice = first_loaded(r, space, order);
  if (!choice)
    return std::nullopt;
  choice->until = make_in_background(r, space, wanted);
  return choice->until ? choice : std::nullopt;
}

}   // namespace tile::launching
