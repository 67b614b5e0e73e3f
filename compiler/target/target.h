// SPDX-License-Identifier: MIT
// What the compiler knows of a GPU generation. Passes ask this description, never for a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct Target {
  int major = 0, minor = 0;
  bool specific = false;   // code for this chip alone, as sm_90a

  // "sm_90a", or none where the name is not of a known target. `knownTargets` lists them.
  static std::optional<Target> parse(std::string_view name);
  static const std::vector<std::string> &knownTargets();
  std::string name() const;

  int version() const { return major * 10 + minor; }
  // Shared memory that one CTA may ask for, in bytes.
  int sharedBytesPerBlock() const;
  // The PTX version its code is written in, as LLVM's feature: "+ptx80".
  std::string ptxFeature() const;

  // Whether mma.sync multiplies 8-bit floats as they are. On the other targets, and on those where the
  // assembler would make products of f16 of it, the compiler makes these itself.
  bool hasFp8Products() const;
  // Whether one instruction makes bf16 of an integer. Elsewhere LLVM goes through f32 and rounds twice.
  bool hasIntegersToBF16() const { return version() >= 90; }
  // Whether stmatrix writes what a warp holds of 8 x 8 matrices to shared memory.
  bool hasMatrixStores() const { return version() >= 90; }
};

}   // namespace tile
