// SPDX-License-Identifier: MIT
// The MLIR side of KernelIR. A module is made anew in the context of whoever asks for it: kernels are
// compiled in parallel, also one for several targets, and a context would be their only common ground.
#pragma once

#include "compiler/kernel_ir.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <mutex>

namespace tile {

class KernelIR::Module {
 public:
  virtual ~Module() = default;
  // One func.func with `tile.kernel`; any thread may ask. Throws where the module does not verify.
  virtual mlir::OwningOpRef<mlir::ModuleOp> makeIn(mlir::MLIRContext &context) const = 0;
  // Bytes that say all that the module depends on, with lines and without columns of the user's source. They
  // cost no module.
  virtual std::string fingerprint() const = 0;
  // The one that is looked at: in a context of its own, made when it is first asked for. Whoever prints or
  // reads it changes nothing.
  mlir::ModuleOp get() const;

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<mlir::MLIRContext> context_;   // outlives the module
  mutable mlir::OwningOpRef<mlir::ModuleOp> module_;
};

// A context with every dialect a kernel may contain, threading off.
std::unique_ptr<mlir::MLIRContext> make_context();

// Text of the tile dialect. Throws tile::Error with what the parser and the verifier say.
std::shared_ptr<const KernelIR::Module> parse_module(std::string text, const std::string &file);

}   // namespace tile
