// SPDX-License-Identifier: MIT
// The lowering passes, to be put into a pipeline or registered with a tool.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tile::gpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/passes.h.inc"

}   // namespace tile::gpu
