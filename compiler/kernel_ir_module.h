// SPDX-License-Identifier: MIT
// The MLIR side of KernelIR. A module is made anew in the context of whoever asks for it: kernels are
// compiled in parallel, also one for several targets, and a context would be their only common ground.
#pragma once

#include "compiler/api/kernel_ir.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tile {

// A context with every dialect a kernel may contain, threading off.
std::unique_ptr<mlir::MLIRContext> make_context();

// One func.func with `tile.kernel`; any thread may ask. Throws tile::Error where the module does not parse or
// verify.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(const KernelIR &kernel, mlir::MLIRContext &context);
// The one that is looked at: in a context of its own, made when it is first asked for, and kept with the
// kernel. Whoever prints or reads it changes nothing.
mlir::ModuleOp viewOf(const KernelIR &kernel);
std::string textOf(const KernelIR &kernel, const TextOptions &format);

// A kernel of text alone: what it takes and how it is launched, its function says.
KernelIR readKernel(const std::string &text, const std::string &file);

}   // namespace tile
