// SPDX-License-Identifier: MIT
// One kernel on its way through the passes: for code that includes MLIR and wants the module itself.
#pragma once

#include "compiler/api/compile.h"
#include "compiler/compile_log.h"
#include "compiler/kernel_ir_module.h"
#include "compiler/lent_context.h"
#include "runtime/stamps.h"

#include "mlir/IR/Diagnostics.h"

#include <functional>
#include <optional>

namespace mlir {
class OpPassManager;
}

namespace tile {

// With every dialect of the way to a GPU, threading off.
LentContext lendLoweringContext();

// In a context that nobody else has meanwhile, so that a kernel can be compiled for several targets at once.
// What passes complain about is thrown as tile::Error once they have returned: no exception crosses them.
class Compilation {
 public:
  // `purpose` names the compilation in logs, beside the kernel.
  Compilation(const KernelIR &kernel, const Target &target, const std::string &purpose);
  // The common passes are behind it.
  Compilation(const HandWritten &kernel, const Target &target, const std::string &purpose);

  void runPasses(const std::function<void(mlir::OpPassManager &)> &build);
  // The passes up to a stage of the way to a GPU that are not behind it; once. `sourceLines`: PTX names the
  // lines of the user's source.
  void runPassesTo(Stage stage, bool sourceLines = false, bool stamps = false);
  // What passes have chosen, and why, at the user's lines: of those that run after this.
  void keepRemarks() { keepsRemarks_ = true; }
  std::vector<Remark> takeRemarks() { return std::move(remarks_); }
  // What a stage shows, after runPassesTo() it.
  std::string text(Stage stage, const TextOptions &format);

  // All that the launch of a kernel in the LLVM and NVVM dialects needs to know. This is the one place that
  // reads it from the module: after the common passes, and before a device's own change the function; what is
  // printed on a GPU is known after those for PTX. Throws for what no GPU launches.
  LoweredKernel lowered();
  // The whole way, with the code; and the same with stamps of the clock.
  LoweredKernel toPtx();
  StampedKernel toStampedPtx();

  mlir::ModuleOp module() { return *module_; }
  CompileLog &log() { return log_; }
  // Throws what was complained about.
  [[noreturn]] void raise() const;

 private:
  struct Message {
    std::string text;
    Location where;
  };
  struct Origin {
    std::string name, config;
    std::vector<LaunchArgument> arguments;   // of a kernel that was written by hand, the function says them
    std::vector<ArgClass> classes;
    bool isHandWritten;
  };
  Compilation(Origin origin, const Target &target, const std::string &purpose);
  void collect(mlir::Diagnostic &diagnostic);
  std::string translated(std::optional<std::string> text);

  Origin origin_;
  Target target_;
  CompileLog log_;
  LentContext context_;
  std::vector<Message> messages_;
  std::vector<Remark> remarks_;
  bool keepsRemarks_ = false;
  mlir::ScopedDiagnosticHandler handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

}   // namespace tile
