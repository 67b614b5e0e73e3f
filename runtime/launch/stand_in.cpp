// SPDX-License-Identifier: MIT
#include "runtime/launch/stand_in.h"

#include "runtime/background.h"
#include "runtime/launch/launch_steps.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace tile::launching {

std::shared_ptr<BackgroundCompile> background_compile_of(const LaunchRequest &r, const ConfigSpace &space,
                                                         std::size_t config) {
  return r.cache.background_compile(keys_of_executable(r, space, config).own);
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
static std::shared_ptr<BackgroundCompile> make_in_background(const LaunchRequest &r, const ConfigSpace &space,
                                                             std::size_t config) {
  const ExecutableKeys keys = keys_of_executable(r, space, config);
  if (std::shared_ptr<BackgroundCompile> known = r.cache.background_compile(keys.own);
      known && known->state != BackgroundCompile::State::dropped)
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
  const auto [compile, is_new] = r.cache.begin_background_compile(keys.own);
  if (!is_new)
    return compile;
  if (refusal) {
    compile->fail(refusal);
    return compile;
  }
  const bool is_given =
      background::add({.device = r.where.device.id(),
                       .run =
                           [&device = r.where.device, &cache = r.cache, keys, compile, recipe] {
                             try {
                               loaded_once(
                                   cache, device, keys, [&] { return recipe->load(device); },
                                   [&](std::unique_ptr<Executable> plain) {
                                     return recipe->as_launched(device, std::move(plain));
                                   },
                                   Use::launch);
                               compile->state = BackgroundCompile::State::ready;
                             } catch (...) {
                               compile->fail(std::current_exception());
                             }
                           },
                       .dropped = [compile] { compile->state = BackgroundCompile::State::dropped; }});
  if (is_given)
    return compile;
  compile->state = BackgroundCompile::State::dropped;
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
