// SPDX-License-Identifier: MIT
// From the LLVM dialect to PTX, with LLVM's NVPTX back end in this process.
#pragma once

#include "compiler/target/target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tile {

// Both report what is wrong as diagnostics of the module and give nothing. The module holds LLVM and NVVM
// operations only. Any number of threads may call them.
std::optional<std::string> translateToLLVM(mlir::ModuleOp module, const Target &target);   // LLVM IR as text
std::optional<std::string> translateToPtx(mlir::ModuleOp module, const Target &target);

}   // namespace tile
