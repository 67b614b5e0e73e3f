// SPDX-License-Identifier: MIT
#pragma once

#include "runtime/argument_class.h"

#include <string>
#include <vector>

namespace tile {

// What a launch asks packs for, and what an entry of a pack is for.
struct PackedIdentity {
  std::string kernel, config;
  // A hash of what the kernel computes, without lines of its source and without classes of its arguments.
  std::string computation;
  std::vector<ArgClass> classes;

  bool operator==(const PackedIdentity &) const = default;
};

}   // namespace tile
