// SPDX-License-Identifier: MIT
// What a launch has to know of a kernel, whatever runs its code.
#pragma once

#include "tile/argument_class.h"
#include "tile/device.h"
#include "tile/tensor_description.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tile {

// What a launch gives.
struct LaunchArgument {
  std::string name;
  ElementType type;   // of kernels that were written by hand, pointers point to bytes
  bool operator==(const LaunchArgument &) const = default;
};

// ---- what the code takes: launch arguments, and what the launcher makes of them

struct PassedArgument {
  unsigned argument;   // its position
  bool operator==(const PassedArgument &) const = default;
};

// How many programs the launch asked for along an axis, as an i32.
struct GridExtent {
  unsigned axis;
  bool operator==(const GridExtent &) const = default;
};

// A number that the code was compiled with, or that a launch argument gives.
struct LaunchNumber {
  std::optional<unsigned> argument;   // its position
  std::int64_t constant = 0;          // where no argument gives it
  bool operator==(const LaunchNumber &) const = default;
};

// A tensor map, which the launcher encodes: the code takes 128 bytes, aligned to 64. Extents of the fastest
// dimension first.
struct TensorParameter {
  TensorElement element = TensorElement::f16;
  unsigned base = 0;                   // the position of the argument that is the address of element 0
  std::vector<LaunchNumber> sizes;     // elements; one to five
  std::vector<LaunchNumber> strides;   // elements; of all dimensions but the first
  std::vector<std::uint32_t> box;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;
  bool is_written = false;   // the code stores through it, and loads nothing
  bool operator==(const TensorParameter &) const = default;
};

// Global memory for each CTA that is started, while the launch lasts: the code takes the address of the first
// CTA's, aligned to 128.
struct WorkspaceParameter {
  static constexpr std::uint32_t alignment = 128, most_bytes = 1 << 20;
  std::uint32_t bytes = alignment;   // of a CTA, a multiple of the alignment
  bool operator==(const WorkspaceParameter &) const = default;
};

using CodeParameter = std::variant<PassedArgument, TensorParameter, GridExtent, WorkspaceParameter>;

// What the arguments of one launch say of a tensor. Launches with equal numbers have equal maps.
struct TensorNumbers {
  std::uint64_t address = 0;
  std::array<std::int64_t, 5> sizes{};
  std::array<std::int64_t, 4> strides{};   // elements
  bool operator==(const TensorNumbers &) const = default;
};

// A tensor whose map can be encoded.
struct LaunchedTensor {
  const TensorParameter *parameter = nullptr;
  std::uint64_t address = 0;
  std::array<std::uint64_t, 5> sizes{};
  std::array<std::uint64_t, 4> strides{};   // bytes
  // Refers to this and to the parameter.
  TensorDescription description() const;
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
  // Few CTAs are started, as many as run at once, and the code finds its programs in a loop, from the extents
  // of the grid that it takes.
  bool persistent = false;
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
  // Of each CTA; 0 where the code takes none.
  std::uint32_t workspace_bytes() const;
  // The grid that is started for one that a launch asks for, where `resident` CTAs run at once.
  Grid started(const Grid &asked, std::int64_t resident) const;

  // ---- tensors, for arguments that check() lets pass
  static constexpr std::size_t most_tensors = 16;   // a kernel takes 4 KiB of parameters
  TensorNumbers numbers(const TensorParameter &tensor, std::span<const Argument> given) const;
  // The memory that stands for a tensor without elements: all a box finds there is what lies outside.
  static constexpr std::size_t nothing_bytes = 64;
  static unsigned char nothing_byte(const TensorParameter &tensor);
  // Throws tile::Error, without the title, where they make no tensor map. A tensor without elements lies at
  // `nothing`, aligned to 16 bytes, so that nobody's memory is touched; what is stored there is not to be
  // read.
  LaunchedTensor launched(const TensorParameter &tensor, const TensorNumbers &numbers,
                          std::uint64_t nothing) const;

  // What does not fit together, whatever the arguments are; or "". For what comes from elsewhere.
  std::string broken_rule() const;
  bool operator==(const KernelSignature &) const = default;
};

}   // namespace tile
