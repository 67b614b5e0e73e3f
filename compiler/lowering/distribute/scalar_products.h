// SPDX-License-Identifier: MIT
// Products without a matrix unit, for those that it does not multiply.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

void scalarProduct(ir::DotOp dot, Distribution &d);

}   // namespace tile::gpu
