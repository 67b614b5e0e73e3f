// SPDX-License-Identifier: MIT
// What is known of a launch's configs beyond this process: what earlier ones measured, on disk, and what came
// with the library of the kernel.
#pragma once

#include "runtime/cache/cache_key.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace tile::launching {

std::string text_of(const Key &key);                       // "4096 4096 4096"
std::string pointer_types(const LaunchRequest &request);   // "f16* f16* f32*"

class KeptTunings {
 public:
  KeptTunings(const LaunchRequest &request, const ConfigSpace &space, const Key &key)
      : request_(request), space_(space), key_(key) {}

  // As far as it is about the kernel as it is now: of a config that was edited nothing is taken.
  void take(tuning::Known &to) const;
  void keep(const tuning::Sweep &sweep, const std::string &beside) const;
  // The config that a pack, or the kernel's own table, has for this key and device, if it is one of them.
  std::optional<std::size_t> shipped() const;
  // Held by one process at a time, which is timing; waits for it so long.
  std::shared_ptr<void> reserve(double seconds) const;

 private:
  std::string sum_of(std::size_t config) const;   // tells what it is compiled from
  std::optional<std::size_t> place_of(const std::string &config) const;
  CacheKey stored_key() const;

  const LaunchRequest &request_;
  const ConfigSpace &space_;
  const Key &key_;
};

}   // namespace tile::launching
