// SPDX-License-Identifier: MIT
// The compiler's passes, to be put into a pipeline or registered with a tool.
#pragma once

#include "compiler/target/target.h"

#include "mlir/Pass/Pass.h"

namespace tile::ir {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/passes.h.inc"

}   // namespace tile::ir
