// SPDX-License-Identifier: MIT
// A launch whose config is not compiled takes another one that is, and has its own compiled in the
// background: a server that meets a new size goes on at once, for some tenths of a second a little slower.
//
//   launch     key 80    key 80    key 96   ...   key 80    key 80
//   takes      64 x 64   64 x 64   64 x 64        64 x 64   128 x 64
//   beside it  ---------- 128 x 64 is compiled ----------|
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace tile::launching {

// What is compiled, or was, in the background for launches like this one with a config; null: nothing.
std::shared_ptr<BackgroundCompile> background_compile_of(const LaunchRequest &r, const ConfigSpace &space,
                                                         std::size_t config);
bool is_loaded(const LaunchRequest &r, const ConfigSpace &space, std::size_t config);

// The first of the configs that some launch has taken before and whose code takes these arguments, be it
// specialised for less than they offer.
std::optional<Choice> first_loaded(const LaunchRequest &r, const ConfigSpace &space,
                                   std::span<const std::size_t> configs);

// The same, until `wanted` is compiled, which begins now if it has not. Nothing where no config is loaded, or
// nothing can be compiled in the background.
std::optional<Choice> stand_in(const LaunchRequest &r, const ConfigSpace &space, std::size_t wanted,
                               std::span<const std::size_t> configs);

}   // namespace tile::launching
