// SPDX-License-Identifier: MIT
// What the language asks of a described tensor: its base and its rows lie at multiples of 16 bytes, its last
// axis is contiguous, extents and strides are not negative.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/target/copy_engines.h"
#include "dialects/tile/dialect.h"

#include "llvm/ADT/SmallVector.h"

namespace tile {

// The rule is the copy engine's, so that each descriptor can become a tensor map. In bytes.
inline constexpr int64_t RowAlignment = TensorCopies.alignment;

// What of it is not known, and has to be checked when the descriptor is made.
struct OpenRules {
  struct Stride {
    unsigned axis;
    bool isMultiple;   // it is known to be one; else that is open, too
  };
  bool base = false, lastStride = false;
  llvm::SmallVector<unsigned> extents;   // axes
  llvm::SmallVector<Stride> strides;

  bool none() const { return !base && !lastStride && extents.empty() && strides.empty(); }
};
OpenRules openRules(ir::MakeDescriptorOp made, const AxisAnalysis &facts);

}   // namespace tile
