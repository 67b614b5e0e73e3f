// SPDX-License-Identifier: MIT
// Carries out a plan of shuffles and selects on the registers of a tile.
#pragma once

#include "compiler/layout/shuffle_plan.h"
#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// `values`: of all repetitions, one after the other.
Registers shuffled(Distribution &distribution, const layout::ShufflePlan &plan,
                   mlir::ArrayRef<mlir::Value> values, std::int64_t repetitions);

}   // namespace tile::gpu
