// SPDX-License-Identifier: MIT
// From one layout to another: the meaning of tile_gpu.convert_layout, which other ops need on their way, too.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// The tile's registers in another layout.
Registers convert(Distribution &d, mlir::ArrayRef<mlir::Value> registers, mlir::Type element,
                  const layout::TileLayout &from, const layout::TileLayout &to);

}   // namespace tile::gpu
