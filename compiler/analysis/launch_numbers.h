// SPDX-License-Identifier: MIT
// What the launcher can compute of a descriptor, because only arguments of the kernel decide it:
//
//    make_descriptor %p, [%batch, %m, %k], [%m * %k, %k, 1]       all of it
//    make_descriptor %p, [%m, cdiv(%k, 2)], [cdiv(%k, 2), 1]      all of it
//    make_descriptor %p, [load %sizes, %k], [%k, 1]               all but the number of rows
#pragma once

#include "dialects/tile_gpu/dialect.h"

namespace tile {

// An i64, a gpu::ArgumentAttr or a gpu::ComputedAttr. Null for what the launcher cannot compute.
mlir::Attribute knownAtLaunch(mlir::Value v);
// Whether a launcher can describe the tensor to the copy engine. The base must be an argument.
bool isKnownAtLaunch(ir::MakeDescriptorOp made);

}   // namespace tile
