// SPDX-License-Identifier: MIT
// The kernel of a module, for passes behind `tile-gpu-to-llvm`.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tile::gpu {

// Null where the module has none, or several: then it has an error that names the pass.
inline mlir::LLVM::LLVMFuncOp onlyKernel(mlir::ModuleOp module, llvm::StringRef pass) {
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      kernels.push_back(function);
  if (kernels.size() == 1)
    return kernels.front();
  module.emitError(pass) << " needs a module of one kernel, which tile-gpu-to-llvm makes";
  return {};
}

}   // namespace tile::gpu
