// SPDX-License-Identifier: MIT
// One kernel on its way through the passes: for code that includes MLIR and wants the module itself.
#pragma once

#include "compiler/compile.h"
#include "compiler/compile_log.h"
#include "compiler/kernel_ir_module.h"

#include "mlir/IR/Diagnostics.h"

#include <functional>
#include <optional>

namespace mlir {
class OpPassManager;
}

namespace tile {

// The innermost place in the user's source.
Location placeOf(mlir::Location loc);

// A copy of the kernel in a context of its own, so that it can be compiled for several targets at once.
// What passes complain about is thrown as tile::Error once they have returned: no exception crosses them.
class Compilation {
 public:
  // `kernel` and `target` outlive it. `purpose` names the compilation in logs, beside the kernel.
  Compilation(const KernelIR &kernel, const Target &target, const std::string &purpose);

  void runPasses(const std::function<void(mlir::OpPassManager &)> &build);
  // The common part of all ways of a kernel, up to this stage.
  void runPassesTo(Stage stage);

  mlir::ModuleOp module() { return *module_; }
  CompileLog &log() { return log_; }
  // What the kernel asks of a CTA, once its tiles have become registers.
  int sharedBytes();
  std::vector<DeviceCheck> checks();
  std::vector<std::string> formats();   // after text() of Stage::Llvm or later
  // After runPassesTo() that stage. From Stage::Llvm on this is the way to a GPU.
  std::string text(Stage stage, const TextOptions &format);
  // Throws what was complained about.
  [[noreturn]] void raise() const;

 private:
  struct Message {
    std::string text;
    Location where;
  };
  void collect(mlir::Diagnostic &diagnostic);
  std::string translated(std::optional<std::string> text);

  const KernelIR &kernel_;
  const Target &target_;
  CompileLog log_;
  std::unique_ptr<mlir::MLIRContext> context_;
  std::vector<Message> messages_;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

}   // namespace tile
