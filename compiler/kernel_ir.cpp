// SPDX-License-Identifier: MIT
#include "compiler/kernel_ir.h"

#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {

std::unique_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  registry.insert<ir::TileDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

KernelIR::KernelIR(std::shared_ptr<const Module> module, std::string name, std::string config,
                   std::vector<Parameter> parameters, Launch launch)
    : module_(std::move(module)), name_(std::move(name)), config_(std::move(config)),
      parameters_(std::move(parameters)), launch_(launch) {}

std::string KernelIR::text(TextOptions options) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  mlir::OpPrintingFlags flags;
  flags.useLocalScope();
  flags.enableDebugInfo(options.locations, /*prettyForm=*/false);
  flags.printGenericOpForm(options.generic);
  // Printing numbers the values but changes nothing.
  const_cast<mlir::OwningOpRef<mlir::ModuleOp> &>(module_->module)->print(out, flags);
  out << '\n';
  return text;
}

}   // namespace tile
