// SPDX-License-Identifier: MIT
// The steps of a launch that its ways have in common.
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/launch_cache.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tile::launching {

// Device, kernel and argument classes.
WordKey key_of(const LaunchRequest &r);
// The same for all devices of a model.
WordKey model_key_of(const LaunchRequest &r);

std::size_t first_kept(const LaunchRequest &r, const ConfigSpace &space);   // throws if no config is kept
std::vector<ArgClass> classes_of(const LaunchRequest &r);
// The grid of a config, checked; errors name the config.
Grid grid_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config);
// What an executable is found by.
struct ExecutableKeys {
  WordKey own, of_model;
  Origin origin;
};
ExecutableKeys keys_of_executable(const LaunchRequest &r, const ConfigSpace &space, std::size_t config);
// From the cache, or made now and kept there, as `wrap` makes it of the plain one.
using Wrap = std::function<std::unique_ptr<Executable>(std::unique_ptr<Executable>)>;
Executable *loaded_once(LaunchCache &cache, Device &device, const ExecutableKeys &keys,
                        const std::function<std::unique_ptr<Executable>()> &make, const Wrap &wrap, Use use);
Executable *executable_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config,
                          Use use = Use::launch);

// The arguments as devices take them: in one row, without a heap for most kernels.
class Row {
 public:
  explicit Row(std::span<const PackedArgument> packed) : Row(packed.size()) {
    std::ranges::transform(packed, begin(), &PackedArgument::argument);
  }
  explicit Row(std::span<const Argument> arguments) : Row(arguments.size()) {
    std::ranges::copy(arguments, begin());
  }
  std::span<const Argument> arguments() const {
    return {size_ > inline_.size() ? more_.data() : inline_.data(), size_};
  }
  Argument &operator[](std::size_t i) { return begin()[i]; }

 private:
  explicit Row(std::size_t size) : size_(size) {
    if (size_ > inline_.size())
      more_.resize(size_);
  }
  Argument *begin() { return size_ > inline_.size() ? more_.data() : inline_.data(); }

  std::array<Argument, 40> inline_;
  std::vector<Argument> more_;
  std::size_t size_;
};

}   // namespace tile::launching
