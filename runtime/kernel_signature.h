// SPDX-License-Identifier: MIT
// The information that a launch needs about a kernel, on any device.
#pragma once

#include <tile/argument_class.h>
#include <tile/device.h>
#include <tile/launch_number.h>
#include <tile/tensor_description.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tile {

// An argument of a launch.
struct LaunchArgument {
  std::string name;
  ElementType type;   // in kernels that were written by hand, pointers point to bytes
  bool operator==(const LaunchArgument &) const = default;
};

// ---- parameters of the code: launch arguments, and values that the launcher computes from them

struct PassedArgument {
  unsigned argument;   // position of the launch argument
  bool operator==(const PassedArgument &) const = default;
};

// How many programs the launch asked for along an axis, as an i32.
struct GridExtent {
  unsigned axis;
  bool operator==(const GridExtent &) const = default;
};

// A tensor map, which the launcher encodes. The code takes 128 bytes, aligned to 64. The fastest dimension
// comes first.
struct TensorParameter {
  TensorElement element = TensorElement::f16;
  unsigned base = 0;                   // position of the argument that is the address of element 0
  std::vector<LaunchNumber> sizes;     // in elements; one to five
  std::vector<LaunchNumber> strides;   // in elements; for all dimensions but the first
  std::vector<std::uint32_t> box;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;
  bool is_written = false;   // the code stores through it and loads nothing
  // The base is an anchor, from which coordinates lead to any address. It is rounded down to 16 bytes.
  bool is_anchored = false;
  bool operator==(const TensorParameter &) const = default;
};

// Global memory for each started CTA during the launch. The code takes the address of the first CTA's memory,
// aligned to 128.
struct WorkspaceParameter {
  static constexpr std::uint32_t alignment = 128, most_bytes = 1 << 20;
  std::uint32_t bytes = alignment;   // per CTA, a multiple of the alignment
  bool operator==(const WorkspaceParameter &) const = default;
};

using CodeParameter = std::variant<PassedArgument, TensorParameter, GridExtent, WorkspaceParameter>;

// The numbers of a tensor from the arguments of one launch. Launches with equal numbers have equal maps.
struct TensorNumbers {
  std::uint64_t address = 0;
  std::array<std::int64_t, 5> sizes{};
  std::array<std::int64_t, 4> strides{};   // in elements
  bool operator==(const TensorNumbers &) const = default;
};

// A tensor with checked numbers: its map can be encoded.
struct LaunchedTensor {
  const TensorParameter *parameter = nullptr;
  std::uint64_t address = 0;
  std::array<std::uint64_t, 5> sizes{};
  std::array<std::uint64_t, 4> strides{};   // in bytes
  // The result refers to this object and to the parameter.
  TensorDescription description() const;
};

// A condition on one launch argument that the code relies on.
struct Guard {
  enum class Kind : std::uint8_t { positive_multiple, equal };
  unsigned argument = 0;   // position of the launch argument
  Kind kind = Kind::equal;
  std::uint64_t number = 1;

  // The guard of an argument class; none for the generic class.
  static std::optional<Guard> of(unsigned argument, ArgClass promised);
  bool holds(const Argument &given) const;
  bool operator==(const Guard &) const = default;
};

struct KernelSignature {
  std::string name, config;                // for people: "matmul", "block_m=128 launch.num_warps=8"
  std::vector<LaunchArgument> arguments;   // all, in the order of the launch
  std::vector<CodeParameter> parameters;   // in the order of the code
  std::vector<Guard> guards;
  // A launch starts only as many CTAs as run at once. The code finds its programs in a loop, from the extents
  // of the grid, which are parameters.
  bool persistent = false;
  std::array<unsigned, 3> cluster{1, 1, 1};   // CTAs of a cluster along each axis

  unsigned ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
  // The kernel's name and config: the last line of every report.
  std::string title() const;
  // Fills arguments, parameters and guards. A class other than generic becomes a guard. An argument that
  // became a constant is no parameter.
  void take(std::span<const LaunchArgument> given, std::span<const ArgClass> classes);
  // Throws tile::Error if the code does not fit the grid or the arguments of a launch. Every launch calls it,
  // so it allocates nothing unless it throws.
  void check(const Grid &grid, std::span<const Argument> given) const;
  // Bytes per CTA; 0 if the code takes no workspace.
  std::uint32_t workspace_bytes() const;
  // The grid to start for the grid that a launch asks for, if `resident` CTAs run at once.
  Grid started(const Grid &asked, std::int64_t resident) const;

  // ---- tensors, for arguments that passed check()
  static constexpr std::size_t most_tensors = 16;   // a kernel takes 4 KiB of parameters
  TensorNumbers numbers(const TensorParameter &tensor, std::span<const Argument> given) const;
  // The size of the memory that replaces a tensor without elements. A box there finds only the fill value.
  static constexpr std::size_t nothing_bytes = 64;
  static unsigned char nothing_byte(const TensorParameter &tensor);
  // Throws tile::Error, without the title, if the numbers make no valid tensor map. A tensor without elements
  // is placed at `nothing`, aligned to 16 bytes, so that no other memory is touched. Values that are stored
  // there must not be read.
  LaunchedTensor launched(const TensorParameter &tensor, const TensorNumbers &numbers,
                          std::uint64_t nothing) const;

  // A contradiction in the signature itself, for any arguments; or "". For signatures of unknown origin.
  std::string broken_rule() const;
  bool operator==(const KernelSignature &) const = default;
};

}   // namespace tile
