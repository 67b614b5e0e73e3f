// SPDX-License-Identifier: MIT
// A module that was written by hand in the LLVM and NVVM dialects and the ops of tile_gpu that stand for PTX:
// what can be run of Hopper before the compiler emits it. It enters the pipeline where the common passes of
// traced kernels end, and from there goes to the simulator or to PTX as they do.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "tile/error.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
}

namespace tile {

class WrittenModule {
 public:
  // The module has one kernel. Throws tile::Error with the line of the text.
  explicit WrittenModule(const std::string &text);

  mlir::ModuleOp module() { return *module_; }
  void runPasses(const std::function<void(mlir::OpPassManager &)> &build);
  // Throws what was complained about.
  [[noreturn]] void raise() const;

  // How it is launched, as the kernel's attributes nvvm.reqntid (of one dimension) and nvvm.cluster_dim and
  // the module's tile_gpu.shared_bytes say. All arguments are taken in their order.
  std::string kernel;
  unsigned threads = 32, sharedBytes = 0, parameters = 0;
  std::array<unsigned, 3> cluster{1, 1, 1};

 private:
  void readLaunch();

  std::unique_ptr<mlir::MLIRContext> context_;
  std::optional<Error> complaint_;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

}   // namespace tile
