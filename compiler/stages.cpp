// SPDX-License-Identifier: MIT
// The table of stages, and how a kernel gets there.
#include "compiler/stages.h"

#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tile/error.h"

#include <array>

namespace tile {

// The kernel that is given stays as it is, with everything else that holds it: the passes work on a copy in
// a context of its own, read from its text.
static KernelIR simplified(const KernelIR &kernel) {
  auto module = std::make_shared<KernelIR::Module>();
  module->context = make_context();
  std::string complaints;
  mlir::ScopedDiagnosticHandler collect(module->context.get(), [&](mlir::Diagnostic &diagnostic) {
    complaints += "\n" + diagnostic.str();
    return mlir::success();
  });
  module->module =
      mlir::parseSourceString<mlir::ModuleOp>(kernel.text({.locations = true}), module->context.get());
  bool done = false;
  if (module->module) {
    mlir::PassManager passes(module->context.get());
    buildTilePipeline(passes);
    done = mlir::succeeded(passes.run(*module->module));
  }
  if (!done)
    throw Error("internal error: the kernel does not pass tile-simplify; this is a bug of tile:" + complaints,
                {})
        .add_context("kernel " + kernel.name() + ", config " + kernel.config());
  return KernelIR(module, kernel.name(), kernel.config(), kernel.parameters(), kernel.launch());
}

static constexpr std::array table{
    Stage{"tile", "as it was traced",
          [](const KernelIR &kernel, const TextOptions &options) { return kernel.text(options); }},
    Stage{"tile-simplified", "in canonical form", [](const KernelIR &kernel, const TextOptions &options) {
            return simplified(kernel).text(options);
          }}};

std::span<const Stage> stages() { return table; }

}   // namespace tile
