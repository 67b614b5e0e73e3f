// SPDX-License-Identifier: MIT
// The launches that a plan has decided: config and code by kernel, key and argument classes.
#pragma once

#include "runtime/launch/launch.h"
#include "runtime/launch/word_key.h"

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace tile::launching {

struct PlannedLaunch {
  std::vector<ArgClass> classes;   // the code relies on them
  std::size_t place;               // of the config in the kernel's list
  std::vector<std::byte> config;   // complete
  Executable *executable;          // of the kernel's cache, where it stays; null: the grid was empty
};

class PlannedLaunches {
 public:
  // The most specialised ones are first. Allocates nothing.
  std::span<const PlannedLaunch> of(const WordKey &key) const;
  void add(const WordKey &key, PlannedLaunch launch);

 private:
  std::unordered_map<WordKey, std::vector<PlannedLaunch>, HashWords> by_key_;
};

}   // namespace tile::launching
