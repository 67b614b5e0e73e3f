// SPDX-License-Identifier: MIT
// What the compiler knows of a GPU generation. Passes ask this description, never for a number: whether it
// has a feature, which of its matrix units multiplies these types, what its copy engines take.
#pragma once

#include "compiler/target/copy_engines.h"
#include "compiler/target/matrix_units.h"
#include "runtime/default_target.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

enum class Feature {
  IntegersToBF16,    // one instruction makes bf16 of an integer; elsewhere LLVM goes through f32 and rounds
                     // twice
  MatrixStores,      // stmatrix writes what a warp holds of 8 x 8 matrices to shared memory
  BF16AtomicAdd,     // memory adds bf16; elsewhere a loop of compare and swap does
  VectorAtomicAdd,   // memory adds several floats that lie side by side, by one instruction
  Clusters,          // CTAs that run together write to each other's shared memory
  EarlyStart,        // a kernel is started while the one before it ends, and waits for that itself
  Float8Casts,       // one instruction makes two 8-bit floats of two f32, or two f16 of two e4m3
  ChangedMaps,       // tensormap.replace changes a tensor map, so that a program may describe tensors
};

// One row. What a GPU does not have is left out.
struct TargetDescription {
  std::string name;           // "sm_90a", as LLVM and the assembler call it
  int major = 0, minor = 0;   // of the GPUs that run its code: these and newer ones
  bool onlyThere = false;     // these alone
  int sharedKiB = 0;          // that one CTA may ask for
  std::string ptx;            // the version of PTX its code is written in, as LLVM's feature
  std::vector<Feature> features;
  std::vector<MatrixUnit> matrixUnits;   // best first
  std::optional<ThreadCopies> threadCopies;
  std::optional<BoxCopies> boxCopies;
  std::string unusedUnit;   // a faster matrix unit, of which this compiler has no row yet
};

class Target {
 public:
  // "sm_90a", or none where the name is not of a known target. `knownTargets` lists them, the oldest first.
  static std::optional<Target> parse(std::string_view name);
  static const std::vector<std::string> &knownTargets();
  static Target oldest();
  // The target whose code a GPU runs best: its own if it is known, else the newest before it.
  static std::optional<Target> bestFor(int major, int minor);
  // Makes `parse` know one more GPU, from now on: a real one with a row less, so that tests see what passes
  // do without it. `knownTargets` stays as it is.
  static Target add(TargetDescription description);

  const TargetDescription &description() const { return *description_; }
  const std::string &name() const { return description_->name; }
  const std::string &ptxFeature() const { return description_->ptx; }
  int sharedBytesPerBlock() const { return description_->sharedKiB * 1024; }
  bool has(Feature feature) const;
  bool has(const MatrixUnit &unit) const;
  const std::vector<MatrixUnit> &matrixUnits() const { return description_->matrixUnits; }
  const std::optional<ThreadCopies> &threadCopies() const { return description_->threadCopies; }
  const std::optional<BoxCopies> &boxCopies() const { return description_->boxCopies; }

 private:
  explicit Target(const TargetDescription &description) : description_(&description) {}
  const TargetDescription *description_;   // lives as long as the process
};

}   // namespace tile
