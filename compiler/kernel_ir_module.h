// SPDX-License-Identifier: MIT
// The MLIR side of KernelIR. Each kernel owns its context: kernels are traced and compiled in
// parallel, and a context would be their only common ground.
#pragma once

#include "compiler/kernel_ir.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tile {

struct KernelIR::Module {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;   // one func.func with `tile.kernel`
};

// A context with every dialect a kernel may contain, threading off.
std::unique_ptr<mlir::MLIRContext> make_context();

}   // namespace tile
