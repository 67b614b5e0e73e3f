// SPDX-License-Identifier: MIT
// What a launch has to know of a kernel, whatever runs its code.
#pragma once

#include "tile/argument_class.h"
#include "tile/device.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tile {

// What a launch gives.
struct LaunchArgument {
  std::string name;
  ElementType type;   // of kernels that were written by hand, pointers point to bytes
  bool operator==(const LaunchArgument &) const = default;
};

// What the code takes. All of them are launch arguments today: a tensor map that the launcher encodes, or a
// workspace, would be a kind of parameter here.
struct CodeParameter {
  unsigned argument;   // its position
  bool operator==(const CodeParameter &) const = default;
};

// What the code relies on, of one launch argument.
struct Guard {
  enum class Kind : std::uint8_t { positive_multiple, equal };
  unsigned argument = 0;   // its position
  Kind kind = Kind::equal;
  std::uint64_t number = 1;

  // What a class promises; nothing where it is generic.
  static std::optional<Guard> of(unsigned argument, ArgClass promised);
  bool holds(const Argument &given) const;
  bool operator==(const Guard &) const = default;
};

struct KernelSignature {
  std::string name, config;                // for people: "matmul", "block_m=128 launch.num_warps=8"
  std::vector<LaunchArgument> arguments;   // all, in launch order
  std::vector<CodeParameter> parameters;   // in the order of the code
  std::vector<Guard> guards;
  std::array<unsigned, 3> cluster{1, 1, 1};   // CTAs along each axis that run together

  unsigned ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
  // The last line of every report.
  std::string title() const;
  // Fills arguments, parameters and guards: what a class says becomes a guard, and what became a constant is
  // no parameter.
  void take(std::span<const LaunchArgument> given, std::span<const ArgClass> classes);
  // Throws tile::Error where a launch gives what the code is not made for. Part of every launch: nothing is
  // allocated unless it throws.
  void check(const Grid &grid, std::span<const Argument> given) const;
  bool operator==(const KernelSignature &) const = default;
};

}   // namespace tile
